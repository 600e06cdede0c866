#compdef millrace
# The completion of bash, which zsh can run.
autoload -U +X bashcompinit && bashcompinit
source /usr/share/bash-completion/completions/millrace
_bash_complete -o default -F _complete_millrace # for this first time; from now on zsh calls it itself
