/** What stands in place of a value: a template, a program or a locale did not give what it should. */
export interface OddValue {
  readonly what: string;
  readonly fix: string;
}

const odd: readonly (OddValue & { readonly is: RegExp })[] = [
  {
    is: /\{\{.*\}\}|[$#]\{.*\}|\$\(.*\)|^\{[A-Za-z_][\w.-]*\}$|^<[A-Za-z][\w .-]*>$|^%[A-Za-z_]\w*%$|^\$[A-Za-z_]\w*$|^@[A-Za-z_]\w*@?$/s,
    what: 'a placeholder that was not filled in',
    fix: 'Check that the variable has a value where the request is made: its name was sent.',
  },
  {
    is: /(?![0-9])\p{Nd}/u,
    what: 'digits of another script than 0 to 9',
    fix: 'Format numbers without the locale of the system, such as with Locale.ROOT in Java.',
  },
  {
    is: /^(?:undefined|null|nil|None|NaN|\[object \w+\]|Optional\(.*\)|\(null\))$/,
    what: 'a word that programs print where there is no value',
    fix: 'Check that the value is set before the request is made.',
  },
];

/** Undefined for an ordinary value. */
export function oddValue(value: string): OddValue | undefined {
  return odd.find(({ is }) => is.test(value));
}
