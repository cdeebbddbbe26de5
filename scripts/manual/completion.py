# Completions: the tools answer for themselves, and pe-plot's are written out from its parser.
import re
import shlex

SHELLS = {"bash": "{}", "zsh": "_{}", "fish": "{}.fish"}


def of_tools(shell_folder, out, tools):
    for shell, name in SHELLS.items():
        text = (shell_folder / f"completion.{shell}.in").read_text()
        for tool in tools:
            path = out / shell / name.format(tool)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.replace("@tool@", tool).replace("@function@", tool.replace("-", "_")))


def first_sentence(text):
    return re.split(r"[;:(]| \(", text)[0].strip()


def choices(action):
    """The names that begin the help of an option such as --kind: "heatmap, stack, …"."""
    found = re.match(r"(\w+(?:, \w+){3,}) \(", action.help or "")
    return found[1].split(", ") if found else []


def suffixes(action, formats):
    """Of the files that an argument names: those that its help spells, or those of the formats that it names."""
    if action.option_strings and action.dest != "output":
        return []
    spelled = re.findall(r"(?<=\s)\.\w+", action.help)
    return spelled or [s for row in formats if re.search(rf"\b{row['name']}\b", action.help.lower()) for s in row["suffixes"]]


BASH_FILES = """# _pe_plot_files BEGUN SUFFIX…: folders, and files that end so.
_pe_plot_files() {
  local begun=$1 file suffix
  shift
  compopt -o filenames 2>/dev/null
  while IFS= read -r file; do
    if [[ -d $file ]]; then COMPREPLY+=("$file"); continue; fi
    for suffix; do
      if [[ $file == *"$suffix" ]]; then COMPREPLY+=("$file"); break; fi
    done
  done < <(compgen -f -- "$begun")
}"""

FISH_FILES = """function __pe_plot_files
    for file in (__fish_complete_path (commandline -ct))
        set -l path (string split -f 1 \\t -- $file)
        for suffix in / $argv
            if string match -q -- "*$suffix" "$path"
                echo $path
                break
            end
        end
    end
end"""


def of_plot(parser, formats, out):
    actions = [a for a in parser._actions if a.option_strings]
    read = next(suffixes(a, formats) for a in parser._actions if not a.option_strings)
    words = " ".join(name for a in actions for name in a.option_strings)
    bash = ["# Completion of pe-plot for bash.", BASH_FILES, "_pe_plot() {", "  local begun=${COMP_WORDS[COMP_CWORD]}", "  COMPREPLY=()", "  case ${COMP_WORDS[COMP_CWORD - 1]} in"]
    zsh = ["#compdef pe-plot", "# Completion of pe-plot for zsh.", "_arguments \\"]
    fish = ["# Completion of pe-plot for fish.", FISH_FILES, f"complete -c pe-plot -f -a '(__pe_plot_files {' '.join(read)})'"]
    for action in actions:
        says = (action.dest if choices(action) else first_sentence(action.help or "")).replace("[", "(").replace("]", ")")
        names, files = choices(action), suffixes(action, formats)
        does = (f"mapfile -t COMPREPLY < <(compgen -W {shlex.quote(' '.join(names))} -- \"$begun\")" if names
                else f"_pe_plot_files \"$begun\" {' '.join(files)}" if files else ":")
        if action.nargs != 0:
            bash.append(f"    {'|'.join(action.option_strings)}) {does}; return ;;")
        value = ("" if action.nargs == 0 else f":value:({' '.join(names)})" if names else f":file:_files -g \"*({'|'.join(files)})\"" if files else ":value: ")
        for name in action.option_strings:
            zsh.append(f"  {shlex.quote(f'{name}[{says}]{value}')} \\")
        flags = " ".join(f"-l {n[2:]}" if n.startswith("--") else f"-s {n[1:]}" for n in action.option_strings)
        takes = ("" if action.nargs == 0 else f" -x -a {shlex.quote(' '.join(names))}" if names else f" -x -a '(__pe_plot_files {' '.join(files)})'" if files else " -x")
        fish.append(f"complete -c pe-plot {flags}{takes} -d {shlex.quote(says)}")
    bash += ["  esac", "  if [[ $begun == -* ]]; then", f"    mapfile -t COMPREPLY < <(compgen -W {shlex.quote(words)} -- \"$begun\")", "  else",
             f"    _pe_plot_files \"$begun\" {' '.join(read)}", "  fi", "}", "complete -F _pe_plot pe-plot"]
    zsh.append(f"  '*:file:_files -g \"*({'|'.join(read)})\"'")
    for shell, lines in (("bash", bash), ("zsh", zsh), ("fish", fish)):
        (out / shell / SHELLS[shell].format("pe-plot")).write_text("\n".join(lines) + "\n")
