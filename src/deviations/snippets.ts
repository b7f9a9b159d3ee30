/** Correct code for each step of signing, in the client's language. */

export const languageNames = {
  node: 'Node.js',
  python: 'Python',
  php: 'PHP',
  java: 'Java',
  ruby: 'Ruby',
  go: 'Go',
  csharp: 'C#',
} as const;

export type Language = keyof typeof languageNames;

export const languages = Object.keys(languageNames) as Language[];

const byTopic = {
  collect: {
    node: `
// Use plain values, and each pair once. oauthPairs must not contain oauth_signature and realm.
const pairs = [...oauthPairs, ...new URLSearchParams(body), ...new URL(url).searchParams];`,
    python: `
from urllib.parse import parse_qsl, urlsplit
# Use plain values, and each pair once. oauth_pairs must not contain oauth_signature and realm.
pairs = oauth_pairs + parse_qsl(body, keep_blank_values=True) + parse_qsl(urlsplit(url).query, keep_blank_values=True)`,
    php: `
// Use a list of [name, value], because parse_str() loses repeated names and changes dots.
$pairs = $oauthPairs;
foreach (array_filter([$body, parse_url($url, PHP_URL_QUERY)]) as $form) {
    foreach (explode('&', $form) as $pair) $pairs[] = array_map('urldecode', explode('=', $pair, 2) + [1 => '']);
}`,
    java: `
// Use a list, because names may repeat. oauthPairs must not contain oauth_signature and realm.
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
// Use a list, because names may repeat. oauthPairs must not contain oauth_signature and realm.
var pairs = new List<KeyValuePair<string, string>>(oauthPairs);
pairs.AddRange(formFields);   // the same ones that FormUrlEncodedContent gets`,
  },
  sort: {
    node: `
const cmp = (a, b) => (a < b ? -1 : a > b ? 1 : 0);  // not localeCompare
const encoded = pairs.map(([n, v]) => [enc(n), enc(v)]).sort((a, b) => cmp(a[0], b[0]) || cmp(a[1], b[1]));
const normalized = encoded.map(([n, v]) => n + '=' + v).join('&');`,
    python: `normalized = "&".join(f"{n}={v}" for n, v in sorted((enc(n), enc(v)) for n, v in pairs))`,
    php: `
$encoded = array_map(fn($p) => [rawurlencode($p[0]), rawurlencode($p[1])], $pairs);
usort($encoded, fn($a, $b) => strcmp($a[0], $b[0]) ?: strcmp($a[1], $b[1]));
$normalized = implode('&', array_map(fn($p) => "$p[0]=$p[1]", $encoded));`,
    java: `
String normalized = pairs.stream()
    .map(p -> Map.entry(enc(p.getKey()), enc(p.getValue())))
    .sorted(Map.Entry.<String, String>comparingByKey().thenComparing(Map.Entry.comparingByValue()))
    .map(p -> p.getKey() + "=" + p.getValue()).collect(Collectors.joining("&"));`,
    ruby: `normalized = pairs.map { |n, v| [enc(n), enc(v)] }.sort.map { |p| p.join("=") }.join("&")`,
    go: `
sort.Slice(encoded, func(i, j int) bool {
  if encoded[i][0] != encoded[j][0] { return encoded[i][0] < encoded[j][0] }
  return encoded[i][1] < encoded[j][1]
})`,
    csharp: `
var normalized = string.Join("&", pairs.Select(p => (n: Enc(p.Key), v: Enc(p.Value)))
    .OrderBy(p => p.n, StringComparer.Ordinal).ThenBy(p => p.v, StringComparer.Ordinal).Select(p => p.n + "=" + p.v));`,
  },
  'percent-encode': {
    node: `
const enc = (s) => encodeURIComponent(s).replace(/[!'()*]/g, (c) => '%' + c.charCodeAt(0).toString(16).toUpperCase());`,
    python: `
from urllib.parse import quote
def enc(s): return quote(s, safe="~")  # Python 3; "/" is not safe here`,
    php: `$enc = fn(string $s): string => rawurlencode($s);  // not urlencode`,
    java: `
static String enc(String s) {
  return URLEncoder.encode(s, StandardCharsets.UTF_8).replace("+", "%20").replace("*", "%2A").replace("%7E", "~");
}`,
    ruby: `
require "erb"
def enc(s) = ERB::Util.url_encode(s)`,
    go: `func enc(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }`,
    csharp: `static string Enc(string s) => Uri.EscapeDataString(s);  // .NET Framework 4.5 and later`,
  },
  'base-string': {
    node: `const baseString = [method.toUpperCase(), enc(uri), enc(normalized)].join('&');`,
    python: `base_string = "&".join([method.upper(), enc(uri), enc(normalized)])`,
    php: `$baseString = strtoupper($method) . '&' . rawurlencode($uri) . '&' . rawurlencode($normalized);`,
    java: `String baseString = method.toUpperCase(Locale.ROOT) + "&" + enc(uri) + "&" + enc(normalized);`,
    ruby: `base_string = [method.upcase, enc(uri), enc(normalized)].join("&")`,
    go: `baseString := strings.ToUpper(method) + "&" + enc(uri) + "&" + enc(normalized)`,
    csharp: `var baseString = method.ToUpperInvariant() + "&" + Enc(uri) + "&" + Enc(normalized);`,
  },
  uri: {
    node: `
const { protocol, host, pathname } = new URL(url);  // lower case, and without a default port
const uri = protocol + '//' + host + pathname;`,
    python: `
from urllib.parse import urlsplit
u = urlsplit(url)
port = "" if u.port in (None, {"http": 80, "https": 443}[u.scheme]) else f":{u.port}"
uri = f"{u.scheme}://{u.hostname}{port}{u.path or '/'}"  # hostname is in lower case`,
    php: `
$u = parse_url($url);
$port = isset($u['port']) && $u['port'] !== ['http' => 80, 'https' => 443][$u['scheme']] ? ":{$u['port']}" : '';
$uri = strtolower($u['scheme']) . '://' . strtolower($u['host']) . $port . ($u['path'] ?? '/');`,
    java: `
URI u = URI.create(url);
boolean standard = u.getPort() == -1 || u.getPort() == (u.getScheme().equalsIgnoreCase("https") ? 443 : 80);
String uri = (u.getScheme() + "://" + u.getHost()).toLowerCase(Locale.ROOT)
    + (standard ? "" : ":" + u.getPort()) + (u.getRawPath().isEmpty() ? "/" : u.getRawPath());`,
    ruby: `
u = URI(url)
port = u.port == u.default_port ? "" : ":#{u.port}"
uri = "#{u.scheme.downcase}://#{u.host.downcase}#{port}#{u.path.empty? ? "/" : u.path}"`,
    go: `
u, _ := url.Parse(rawURL)
host := strings.ToLower(u.Host)
if u.Scheme == "https" { host = strings.TrimSuffix(host, ":443") } else { host = strings.TrimSuffix(host, ":80") }
uri := u.Scheme + "://" + host + u.EscapedPath()`,
    csharp: `
var u = new Uri(url);  // lower-cases the host and drops a default port
var uri = u.GetLeftPart(UriPartial.Path);`,
  },
  key: {
    node: `const key = enc(consumerSecret) + '&' + enc(tokenSecret ?? '');`,
    python: `key = enc(consumer_secret) + "&" + enc(token_secret or "")`,
    php: `$key = rawurlencode($consumerSecret) . '&' . rawurlencode($tokenSecret ?? '');`,
    java: `String key = enc(consumerSecret) + "&" + (tokenSecret == null ? "" : enc(tokenSecret));`,
    ruby: `key = enc(consumer_secret) + "&" + enc(token_secret.to_s)`,
    go: `key := enc(consumerSecret) + "&" + enc(tokenSecret)`,
    csharp: `var key = Enc(consumerSecret) + "&" + Enc(tokenSecret ?? "");`,
  },
  sign: {
    node: `
const hmac = crypto.createHmac('sha1', key).update(baseString).digest('base64');
const rsa = crypto.sign('RSA-SHA256', Buffer.from(baseString), privateKey).toString('base64');`,
    python: `
mac = base64.b64encode(hmac.new(key.encode(), base_string.encode(), "sha1").digest()).decode()
rsa = base64.b64encode(private_key.sign(base_string.encode(), padding.PKCS1v15(), hashes.SHA256())).decode()`,
    php: `
$hmac = base64_encode(hash_hmac('sha1', $baseString, $key, true));  // true: bytes, not hex
openssl_sign($baseString, $bytes, $privateKey, OPENSSL_ALGO_SHA256);
$rsa = base64_encode($bytes);`,
    java: `
Mac mac = Mac.getInstance("HmacSHA1");
mac.init(new SecretKeySpec(key.getBytes(UTF_8), "HmacSHA1"));
String hmac = Base64.getEncoder().encodeToString(mac.doFinal(baseString.getBytes(UTF_8)));
Signature s = Signature.getInstance("SHA256withRSA");
s.initSign(privateKey);
s.update(baseString.getBytes(UTF_8));
String rsa = Base64.getEncoder().encodeToString(s.sign());`,
    ruby: `
hmac = Base64.strict_encode64(OpenSSL::HMAC.digest("SHA1", key, base_string))
rsa = Base64.strict_encode64(private_key.sign("SHA256", base_string))`,
    go: `
mac := hmac.New(sha1.New, []byte(key))
mac.Write([]byte(baseString))
signature := base64.StdEncoding.EncodeToString(mac.Sum(nil))
digest := sha256.Sum256([]byte(baseString)) // SignPKCS1v15 wants the digest
bytes, err := rsa.SignPKCS1v15(rand.Reader, privateKey, crypto.SHA256, digest[:])`,
    csharp: `
var hmac = Convert.ToBase64String(new HMACSHA1(Encoding.UTF8.GetBytes(key)).ComputeHash(Encoding.UTF8.GetBytes(baseString)));
var rsa = Convert.ToBase64String(privateKey.SignData(Encoding.UTF8.GetBytes(baseString), HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1));`,
  },
  header: {
    node: `
const header = 'OAuth ' + [...oauthPairs, ['oauth_signature', signature]].map(([n, v]) => enc(n) + '="' + enc(v) + '"').join(', ');`,
    python: `
header = "OAuth " + ", ".join(f'{enc(n)}="{enc(v)}"' for n, v in oauth_pairs + [("oauth_signature", signature)])`,
    php: `
$header = 'OAuth ' . implode(', ', array_map(fn($p) => rawurlencode($p[0]) . '="' . rawurlencode($p[1]) . '"', $pairs));`,
    java: `
String header = "OAuth " + pairs.stream()
    .map(p -> enc(p.getKey()) + "=\\"" + enc(p.getValue()) + "\\"").collect(Collectors.joining(", "));`,
    ruby: `
header = "OAuth " + (oauth_pairs + [["oauth_signature", signature]]).map { |n, v| %(#{enc(n)}="#{enc(v)}") }.join(", ")`,
    go: `
parts = append(parts, fmt.Sprintf("%s=\\"%s\\"", enc(name), enc(value)))
header := "OAuth " + strings.Join(parts, ", ")`,
    csharp: `var header = "OAuth " + string.Join(", ", pairs.Select(p => $"{Enc(p.Key)}=\\"{Enc(p.Value)}\\""));`,
  },
  'form-body': {
    node: `const body = new URLSearchParams({ payload: Buffer.from(csv).toString('base64') }).toString();`,
    python: `body = urllib.parse.urlencode({"payload": base64.b64encode(csv.encode()).decode()})`,
    php: `$body = http_build_query(['payload' => base64_encode($csv)]);`,
    java: `String body = "payload=" + enc(Base64.getEncoder().encodeToString(csv.getBytes(UTF_8)));`,
    ruby: `body = URI.encode_www_form("payload" => Base64.strict_encode64(csv))`,
    go: `body := url.Values{"payload": {base64.StdEncoding.EncodeToString([]byte(csv))}}.Encode()`,
    csharp: `var body = "payload=" + Enc(Convert.ToBase64String(Encoding.UTF8.GetBytes(csv)));`,
  },
} satisfies Record<string, Readonly<Record<Language, string>>>;

export type SnippetTopic = keyof typeof byTopic;

export function snippetOf(topic: SnippetTopic, language: Language): string {
  return byTopic[topic][language].trim();
}
