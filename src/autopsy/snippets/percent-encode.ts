/** Percent-encoding by RFC 5849 section 3.6. */
import type { Snippets } from './languages.ts';

export const percentEncodeSnippets: Snippets = {
  node: `
const enc = (s) => encodeURIComponent(s).replace(/[!'()*]/g, (c) => '%' + c.charCodeAt(0).toString(16).toUpperCase());`,
  python: `
from urllib.parse import quote
def enc(s): return quote(s, safe="~")  # Python 3; "/" is not safe here`,
  php: `
$enc = fn(string $s): string => rawurlencode($s);  // not urlencode`,
  java: `
static String enc(String s) {
  return URLEncoder.encode(s, StandardCharsets.UTF_8).replace("+", "%20").replace("*", "%2A").replace("%7E", "~");
}`,
  ruby: `
require "erb"
def enc(s) = ERB::Util.url_encode(s)`,
  go: `
func enc(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }`,
  csharp: `
static string Enc(string s) => Uri.EscapeDataString(s);  // .NET Framework 4.5 and later`,
};
