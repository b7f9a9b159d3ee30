#!/bin/sh
# An adapter that is run once for each case, and answers with its own process id.
id=
while read -r line; do
  case $line in
    '{"t":"case","id":"'*)
      id=${line#'{"t":"case","id":"'}
      id=${id%%'"'*}
      ;;
  esac
done
echo '{"t":"ready","protocol":1,"client":{"name":"one-shot","language":"sh"}}'
test -z "$id" || echo "{\"t\":\"result\",\"id\":\"$id\",\"outcome\":\"unsupported\",\"reason\":\"$$\"}"
