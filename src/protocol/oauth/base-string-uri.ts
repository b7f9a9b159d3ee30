/** Step 3, RFC 5849 section 3.4.1.2. */
export function baseStringUri(url: { readonly scheme: string; readonly host: string; readonly target: string }): string {
  const scheme = url.scheme.toLowerCase();
  const host = url.host.toLowerCase().replace(scheme === 'https' ? /:443$/ : /:80$/, '');
  const path = url.target.split('?', 1)[0] || '/';
  return `${scheme}://${host}${path}`;
}
