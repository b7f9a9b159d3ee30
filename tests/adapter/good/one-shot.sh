#!/bin/sh
# An adapter that is run once for each case, and answers with its own process id.
input=$(cat)
echo '{"t":"ready","protocol":1,"client":{"name":"one-shot","language":"sh"}}'
id=$(printf '%s\n' "$input" | sed -n 's/^{"t":"case","id":"\([^"]*\)".*/\1/p')
test -z "$id" || echo "{\"t\":\"result\",\"id\":\"$id\",\"outcome\":\"unsupported\",\"reason\":\"$$\"}"
