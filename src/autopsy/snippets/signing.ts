/** Key, HMAC-SHA1 and RSA-SHA256 by RFC 5849 sections 3.4.2 and 3.4.3. */
import type { Snippets } from './languages.ts';

export const keySnippets: Snippets = {
  node: `
const key = enc(consumerSecret.trim()) + '&' + enc(tokenSecret ?? '');`,
  python: `
key = enc(consumer_secret.strip()) + "&" + enc(token_secret or "")`,
  php: `
$key = rawurlencode(trim($consumerSecret)) . '&' . rawurlencode($tokenSecret ?? '');`,
  java: `
String key = enc(consumerSecret.strip()) + "&" + (tokenSecret == null ? "" : enc(tokenSecret));`,
  ruby: `
key = enc(consumer_secret.strip) + "&" + enc(token_secret.to_s)`,
  go: `
key := enc(strings.TrimSpace(consumerSecret)) + "&" + enc(tokenSecret)`,
  csharp: `
var key = Enc(consumerSecret.Trim()) + "&" + Enc(tokenSecret ?? "");`,
};

export const signSnippets: Snippets = {
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
};
