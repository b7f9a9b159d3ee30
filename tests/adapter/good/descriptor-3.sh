#!/bin/sh
# Right: its standard output is full of what a library prints, so that it speaks on file descriptor 3.
while read -r line; do
  echo "library: $line"
  id=${line#*'"id":"'}
  id=${id%%'"'*}
  case $line in
    *'"t":"hello"'*) echo '{"t":"ready","protocol":1,"client":{"name":"broken","language":"sh"}}' >&3 ;;
    *'"t":"case"'*) echo "{\"t\":\"result\",\"id\":\"$id\",\"outcome\":\"unsupported\"}" >&3 ;;
  esac
done
