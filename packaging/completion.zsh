#compdef millrace
# The completion of bash, which zsh can run.
autoload -U +X bashcompinit && bashcompinit
source /usr/share/bash-completion/completions/millrace
