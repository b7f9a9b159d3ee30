/** Content types compared as parsed media type and charset (RFC 9110 section 8.3), never as text. */

/** `type/subtype` and charset in lower case; quotes around a parameter value are dropped. */
export function parseMediaType(value: string): { readonly type: string; readonly charset: string | undefined } {
  const [type = '', ...parameters] = value.split(';');
  const charset = parameters
    .map((parameter) => parameter.split('='))
    .find(([name]) => name?.trim().toLowerCase() === 'charset')?.[1];
  return { type: type.trim().toLowerCase(), charset: charset?.trim().replace(/^"|"$/g, '').toLowerCase() };
}

/** Whether the value is text/html with charset utf-8, however it is written. */
export function isHtmlUtf8(value: string): boolean {
  const { type, charset } = parseMediaType(value);
  return type === 'text/html' && charset === 'utf-8';
}
