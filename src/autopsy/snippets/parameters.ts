/** Collecting, sorting and joining by RFC 5849 sections 3.4.1.1 and 3.4.1.3; `enc` is the encoder of section 3.6. */
import type { Snippets } from './languages.ts';

export const collectSnippets: Snippets = {
  node: `
// Plain values; each pair once. oauth_signature and realm are not among oauthPairs.
const pairs = [...oauthPairs, ...new URLSearchParams(body), ...new URL(url).searchParams];`,
  python: `
from urllib.parse import parse_qsl, urlsplit
# Plain values; each pair once. oauth_signature and realm are not among oauth_pairs.
pairs = oauth_pairs + parse_qsl(body, keep_blank_values=True) + parse_qsl(urlsplit(url).query, keep_blank_values=True)`,
  php: `
// A list of [name, value]; parse_str() would lose repeated names and change dots.
$pairs = $oauthPairs;
foreach (array_filter([$body, parse_url($url, PHP_URL_QUERY)]) as $form) {
    foreach (explode('&', $form) as $pair) $pairs[] = array_map('urldecode', explode('=', $pair, 2) + [1 => '']);
}`,
  java: `
// A list, so that repeated names stay; oauth_signature and realm are not in it.
List<Map.Entry<String, String>> pairs = new ArrayList<>(oauthPairs);
pairs.addAll(formFields);   // the plain values that the body is made of
pairs.addAll(queryFields);`,
  ruby: `
require "uri"
pairs = oauth_pairs + URI.decode_www_form(body) + URI.decode_www_form(URI(url).query.to_s)`,
  go: `
form, _ := url.ParseQuery(body) // map[string][]string keeps repeated names
for name, values := range form { for _, value := range values { pairs = append(pairs, [2]string{name, value}) } }`,
  csharp: `
// A list, so that repeated names stay; oauth_signature and realm are not in it.
var pairs = new List<KeyValuePair<string, string>>(oauthPairs);
pairs.AddRange(formFields);   // the same ones that FormUrlEncodedContent gets`,
};

export const sortSnippets: Snippets = {
  node: `
const cmp = (a, b) => (a < b ? -1 : a > b ? 1 : 0);  // not localeCompare
const encoded = pairs.map(([n, v]) => [enc(n), enc(v)]).sort((a, b) => cmp(a[0], b[0]) || cmp(a[1], b[1]));
const normalized = encoded.map(([n, v]) => n + '=' + v).join('&');`,
  python: `
normalized = "&".join(f"{n}={v}" for n, v in sorted((enc(n), enc(v)) for n, v in pairs))`,
  php: `
$encoded = array_map(fn($p) => [rawurlencode($p[0]), rawurlencode($p[1])], $pairs);
usort($encoded, fn($a, $b) => strcmp($a[0], $b[0]) ?: strcmp($a[1], $b[1]));
$normalized = implode('&', array_map(fn($p) => "$p[0]=$p[1]", $encoded));`,
  java: `
String normalized = pairs.stream()
    .map(p -> Map.entry(enc(p.getKey()), enc(p.getValue())))
    .sorted(Map.Entry.<String, String>comparingByKey().thenComparing(Map.Entry.comparingByValue()))
    .map(p -> p.getKey() + "=" + p.getValue()).collect(Collectors.joining("&"));`,
  ruby: `
normalized = pairs.map { |n, v| [enc(n), enc(v)] }.sort.map { |p| p.join("=") }.join("&")`,
  go: `
sort.Slice(encoded, func(i, j int) bool {
  if encoded[i][0] != encoded[j][0] { return encoded[i][0] < encoded[j][0] }
  return encoded[i][1] < encoded[j][1]
})`,
  csharp: `
var normalized = string.Join("&", pairs.Select(p => (n: Enc(p.Key), v: Enc(p.Value)))
    .OrderBy(p => p.n, StringComparer.Ordinal).ThenBy(p => p.v, StringComparer.Ordinal).Select(p => p.n + "=" + p.v));`,
};

export const baseStringSnippets: Snippets = {
  node: `
const baseString = [method.toUpperCase(), enc(uri), enc(normalized)].join('&');`,
  python: `
base_string = "&".join([method.upper(), enc(uri), enc(normalized)])`,
  php: `
$baseString = strtoupper($method) . '&' . rawurlencode($uri) . '&' . rawurlencode($normalized);`,
  java: `
String baseString = method.toUpperCase(Locale.ROOT) + "&" + enc(uri) + "&" + enc(normalized);`,
  ruby: `
base_string = [method.upcase, enc(uri), enc(normalized)].join("&")`,
  go: `
baseString := strings.ToUpper(method) + "&" + enc(uri) + "&" + enc(normalized)`,
  csharp: `
var baseString = method.ToUpperInvariant() + "&" + Enc(uri) + "&" + Enc(normalized);`,
};
