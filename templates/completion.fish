# fish completion of ctx.py; to load it: python3 ctx.py completion fish | source
{rows}complete -c ctx.py -w ctx
