# Sourced by the scripts of this folder: with --help they print what they begin with, and do nothing.
if [[ ${1-} == --help || ${1-} == -h ]]; then
  awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"
  exit 0
fi
