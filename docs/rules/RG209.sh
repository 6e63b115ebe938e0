# Prints a program of Rogue with more branches than paths are followed for.
yes 'ctrl { br.allinst +8 }' | head -n 20002
echo 'nop.end'
