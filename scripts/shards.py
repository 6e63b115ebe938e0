"""Shards of campaigns that scripts run: mobula says what belongs to one, and mobula merge takes what is written here."""
import json
import os
import subprocess


class Shard:
    """A part, "2/8", of the pieces of a campaign. `options` is all that results depend on: shards of different ones do not merge."""

    def __init__(self, mobula, campaign, options, pieces, shard):
        done = subprocess.run([mobula, "shard", shard, "--json"], input="".join(f"{piece}\n" for piece in pieces), capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(done.stderr)
        said = json.loads(done.stdout)
        self.own = {each["line"]: each["piece"] for each in said["result"]["own"]}
        self.header = {
            "schema": "mobula/shard-result",
            "version": 1,
            "tool": said["tool"],
            "work": {
                "command": "campaign",
                "options": {"campaign": campaign, **options},
                "pieces": said["result"]["pieces"],
                "names": said["result"]["names"],
            },
            "shard": said["result"]["shard"],
        }

    def write(self, file, texts):
        """Puts the text of each of its own pieces, and the status that it stands for, into the file, in one step."""
        if set(texts) != set(self.own):
            raise ValueError("these are not the pieces of the shard")
        lines = [self.header]
        for name, piece in sorted(self.own.items(), key=lambda each: each[1]):
            text, status = texts[name]
            lines.append({"piece": piece, "name": name, "status": status, "text": text, "said": [], "diagnostics": [], "files": []})
        lines.append({"end": len(texts)})
        temporary = f"{file}.tmp{os.getpid()}"
        with open(temporary, "w") as output:
            output.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        os.replace(temporary, file)


def add_options(parser):
    """Of a campaign that can be run in parts."""
    parser.add_argument("--shard", metavar="INDEX/COUNT", help="only this part, from 0/4 to 3/4; mobula merge puts what -o names together into what --list names")
    parser.add_argument("-o", "--output", metavar="FILE", help="with --shard: where its result goes")
    parser.add_argument("--list", metavar="FILE", help="write a line for each piece of work")
    parser.add_argument("--report", metavar="FILE", help="do nothing but tell what such a list says")


def check_options(parser, arguments):
    if (arguments.shard is None) != (arguments.output is None):
        parser.error("--shard and --output go together")
    if (arguments.list or arguments.report) and arguments.shard:
        parser.error("--shard writes no list and no report: mobula merge makes the list")
