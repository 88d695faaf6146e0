#compdef ctx ctx.py
# zsh completion of ctx.py; to load it: source <(python3 ctx.py completion zsh)
_ctx() {
    local name='' each
    local -a found
    for each in "${(@)words[2,CURRENT-1]}"; do
        case $each in {commands}) name=$each; break ;; esac
    done
    case "$name $words[CURRENT-1]" in
{rows}    esac
    _describe -t words word found || _files
}
compdef _ctx ctx ctx.py
