# bash completion of ctx.py; to load it: eval "$(python3 ctx.py completion bash)"
_ctx() {
    local name='' each found
    for each in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        case $each in {commands}) name=$each; break ;; esac
    done
    case "$name ${COMP_WORDS[COMP_CWORD-1]}" in
{rows}    esac
    COMPREPLY=($(compgen -W "$found" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _ctx ctx ctx.py
