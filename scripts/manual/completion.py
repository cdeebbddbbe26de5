# Completions: the tools answer for themselves, and pe-plot's are written out from its parser.
import re
import shlex

import tree as trees

SHELLS = {"bash": "{}", "zsh": "_{}", "fish": "{}.fish"}


def of_tools(shell_folder, out):
    for shell, name in SHELLS.items():
        text = (shell_folder / f"completion.{shell}.in").read_text()
        for tool in trees.TOOLS:
            path = out / shell / name.format(tool)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.replace("@tool@", tool).replace("@function@", tool.replace("-", "_")))


def first_sentence(text):
    return re.split(r"[;:(]| \(", text)[0].strip()


def choices(action):
    """The names that begin the help of an option such as --kind: "heatmap, stack, …"."""
    found = re.match(r"(\w+(?:, \w+){3,}) \(", action.help or "")
    return found[1].split(", ") if found else []


def of_plot(parser, out):
    actions = [a for a in parser._actions if a.option_strings]
    words = " ".join(name for a in actions for name in a.option_strings)
    picks = [(a, choices(a)) for a in actions if choices(a)]
    bash = ["# Completion of pe-plot for bash.", "_pe_plot() {", "  local begun=${COMP_WORDS[COMP_CWORD]}", "  case ${COMP_WORDS[COMP_CWORD - 1]} in"]
    for action, names in picks:
        bash.append(f"    {'|'.join(action.option_strings)}) COMPREPLY=($(compgen -W {shlex.quote(' '.join(names))} -- \"$begun\")); return ;;")
    bash += ["  esac", "  if [[ $begun == -* ]]; then", f"    COMPREPLY=($(compgen -W {shlex.quote(words)} -- \"$begun\"))", "  else",
             "    compopt -o filenames 2>/dev/null", "    mapfile -t COMPREPLY < <(compgen -f -- \"$begun\")", "  fi", "}", "complete -F _pe_plot pe-plot"]
    (out / "bash" / "pe-plot").write_text("\n".join(bash) + "\n")

    zsh = ["#compdef pe-plot", "# Completion of pe-plot for zsh.", "_arguments \\"]
    fish = ["# Completion of pe-plot for fish."]
    for action in actions:
        says = first_sentence(action.help or "").replace("[", "(").replace("]", ")")
        names = choices(action)
        value = "" if action.nargs == 0 else f":value:({' '.join(names)})" if names else ":value:_files" if action.dest == "output" else ":value: "
        for name in action.option_strings:
            zsh.append(f"  {shlex.quote(f'{name}[{says}]{value}')} \\")
        flags = " ".join(f"-l {n[2:]}" if n.startswith("--") else f"-s {n[1:]}" for n in action.option_strings)
        takes = "" if action.nargs == 0 else " -r" if action.dest == "output" else f" -x -a {shlex.quote(' '.join(names))}" if names else " -x"
        fish.append(f"complete -c pe-plot {flags}{takes} -d {shlex.quote(says)}")
    zsh.append("  '*:file:_files'")
    (out / "zsh" / "_pe-plot").write_text("\n".join(zsh) + "\n")
    (out / "fish" / "pe-plot.fish").write_text("\n".join(fish) + "\n")
