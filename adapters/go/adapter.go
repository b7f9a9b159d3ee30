// Adapter for a client in Go. It signs and sends with only the standard library.
package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"time"
)

// --- the client: what an application would call ---

type client struct {
	http                             *http.Client
	baseURL, endpointID, consumerKey string
	secret                           string          // for HMAC-SHA1
	privateKey                       *rsa.PrivateKey // for RSA-SHA256; otherwise nil
}

type answer = map[string]any

var errUnsupported = errors.New("the client cannot do this")

// An answer that the interface document does not define.
type undecodable struct{ reason string }

func (e undecodable) Error() string { return e.reason }

func (c *client) closeDay(ctx context.Context, fields map[string]string) (answer, error) {
	status, body, err := c.post(ctx, "/api/v2/close-day/", fields)
	if err != nil {
		return nil, err
	}
	if status == 401 || status == 403 {
		return answer{"kind": "refused", "http_status": status}, nil
	}
	document, err := objectIn(body)
	if err != nil || status != 200 {
		return nil, undecodable{fmt.Sprintf("HTTP status %d: %v", status, err)}
	}
	response, _ := document["response"].(answer)
	serial, hasSerial := document["theRequestSerialNumber"]
	switch {
	case !hasSerial:
	case response["status"] == "finished":
		gates, isList := response["gates"].([]any)
		if isList {
			return answer{"kind": "finished", "serial": serial, "gates": gates}, nil
		}
	case response["status"] == "error" && response["errorCode"] != nil:
		return answer{"kind": "error", "errorCode": fmt.Sprint(response["errorCode"]), "errorMessage": response["errorMessage"], "serial": serial}, nil
	}
	return nil, undecodable{"neither finished nor error"}
}

func (c *client) processRecurringPayments(ctx context.Context, columns []string, rows [][]*string) (answer, error) {
	var csv strings.Builder
	for at, name := range columns {
		csv.WriteString(map[bool]string{true: "", false: ";"}[at == 0] + quoted(name))
	}
	csv.WriteString("\n")
	for _, row := range rows {
		for at, cell := range row {
			text := ""
			if cell != nil {
				text = *cell
			}
			csv.WriteString(map[bool]string{true: "", false: ";"}[at == 0] + quoted(text))
		}
		csv.WriteString("\n")
	}
	payload := base64.StdEncoding.EncodeToString([]byte(csv.String()))
	status, body, err := c.post(ctx, "/api/v4/process-recurring-payments/", map[string]string{"payload": payload})
	if err != nil {
		return nil, err
	}
	params, types := [][2]string{}, 0
	for _, pair := range strings.Split(string(body), "&") {
		name, value, _ := strings.Cut(pair, "=")
		name, nameFault := url.QueryUnescape(name)
		value, valueFault := url.QueryUnescape(value)
		if nameFault != nil || valueFault != nil {
			return nil, undecodable{"invalid percent-encoding"}
		}
		// Remove the line feed at the end of each value: it is not part of the value.
		params = append(params, [2]string{name, strings.TrimSuffix(value, "\n")})
		if name == "type" {
			types++
		}
	}
	switch {
	case types == 1:
		return answer{"kind": "parameters", "params": params}, nil
	case status == 401 || status == 403:
		return answer{"kind": "refused", "http_status": status}, nil
	case status == 200 && len(body) == 0:
		return answer{"kind": "accepted"}, nil
	}
	return nil, undecodable{fmt.Sprintf("HTTP status %d with a body that is neither empty nor parameters", status)}
}

func quoted(cell string) string { return `"` + strings.ReplaceAll(cell, `"`, `""`) + `"` }

// Returns the object with the member response: the body, or an object inside it. Numbers keep all digits.
func objectIn(body []byte) (answer, error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var document answer
	if err := decoder.Decode(&document); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("something follows the object")
	}
	for _, inner := range document {
		if object, isObject := inner.(answer); isObject && document["response"] == nil && object["response"] != nil {
			return object, nil
		}
	}
	return document, nil
}

func (c *client) post(ctx context.Context, path string, form map[string]string) (int, []byte, error) {
	target := c.baseURL + path + c.endpointID
	pairs := []string{}
	for name, value := range form {
		pairs = append(pairs, encoded(name)+"="+encoded(value))
	}
	sort.Strings(pairs)
	request, err := http.NewRequestWithContext(ctx, "POST", target, strings.NewReader(strings.Join(pairs, "&")))
	if err != nil {
		return 0, nil, err
	}
	authorization, err := c.authorization(request.URL, form)
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Authorization", authorization)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := c.http.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 8<<20))
	if err == nil && len(body) == 8<<20 {
		err = &url.Error{Op: "Post", URL: target, Err: errors.New("the answer is too long")}
	}
	return response.StatusCode, body, err
}

// RFC 5849 section 3: signs the parameters of header, query and body, sorted by their encoded form.
func (c *client) authorization(target *url.URL, form map[string]string) (string, error) {
	nonce := make([]byte, 16)
	if _, err := rand.Read(nonce); err != nil {
		return "", err
	}
	method := "HMAC-SHA1"
	if c.privateKey != nil {
		method = "RSA-SHA256"
	}
	oauth := map[string]string{
		"oauth_consumer_key":     c.consumerKey,
		"oauth_nonce":            hex.EncodeToString(nonce),
		"oauth_signature_method": method,
		"oauth_timestamp":        strconv.FormatInt(time.Now().Unix(), 10),
		"oauth_version":          "1.0",
	}
	pairs := []string{}
	for _, some := range []map[string]string{oauth, form} {
		for name, value := range some {
			pairs = append(pairs, encoded(name)+"\x00"+encoded(value))
		}
	}
	for name, values := range target.Query() {
		for _, value := range values {
			pairs = append(pairs, encoded(name)+"\x00"+encoded(value))
		}
	}
	sort.Strings(pairs) // sorts by name, then by value, because NUL is the lowest character
	normalized := strings.ReplaceAll(strings.Join(pairs, "&"), "\x00", "=")
	base := []byte("POST&" + encoded(baseURI(target)) + "&" + encoded(normalized))
	var signature []byte
	if c.privateKey != nil {
		digest := sha256.Sum256(base)
		var err error
		if signature, err = rsa.SignPKCS1v15(rand.Reader, c.privateKey, crypto.SHA256, digest[:]); err != nil {
			return "", err
		}
	} else {
		mac := hmac.New(sha1.New, []byte(encoded(c.secret)+"&"))
		mac.Write(base)
		signature = mac.Sum(nil)
	}
	oauth["oauth_signature"] = base64.StdEncoding.EncodeToString(signature)
	members := []string{}
	for name, value := range oauth {
		members = append(members, name+`="`+encoded(value)+`"`)
	}
	sort.Strings(members)
	return "OAuth " + strings.Join(members, ", "), nil
}

// RFC 5849 section 3.4.1.2: the host is in lower case. The default port and the query are omitted.
func baseURI(target *url.URL) string {
	host := strings.ToLower(target.Host)
	if name, port, err := net.SplitHostPort(host); err == nil && port == map[string]string{"https": "443", "http": "80"}[target.Scheme] {
		host = name
	}
	return target.Scheme + "://" + host + target.EscapedPath()
}

// RFC 5849 section 3.6: url.QueryEscape encodes the same characters, but writes a blank as a plus.
func encoded(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }

// --- the adapter: JSON lines to calls of the client and back ---

type message struct {
	T          string `json:"t"`
	ID         string `json:"id"`
	N          any    `json:"n"`
	CAFile     string `json:"ca_file"`
	Op         string `json:"op"`
	BaseURL    string `json:"base_url"`
	EndpointID string `json:"endpoint_id"`
	DeadlineMs int    `json:"deadline_ms"`
	Auth       struct {
		ConsumerKey   string `json:"consumer_key"`
		Secret        string `json:"secret"`
		PrivateKeyPEM string `json:"private_key_pem"`
	} `json:"auth"`
	Input json.RawMessage `json:"input"`
}

func main() {
	lines := bufio.NewReader(os.Stdin) // a bufio.Scanner refuses long lines
	out := json.NewEncoder(os.Stdout)  // writes each line at once, without a buffer
	out.SetEscapeHTML(false)
	sender := &http.Client{}
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var msg message
		if json.Unmarshal(line, &msg) != nil {
			continue
		}
		switch msg.T {
		case "hello":
			sender = senderWith(msg.CAFile)
			out.Encode(answer{
				"t": "ready", "protocol": 1,
				"adapter": answer{"name": "countersign-go", "version": "1.0.0"},
				"client":  answer{"name": "net/http", "version": strings.TrimPrefix(runtime.Version(), "go"), "language": "go"},
				"offers": answer{
					"ops": []string{"close-day", "process-recurring-payments"}, "signature_methods": []string{"HMAC-SHA1", "RSA-SHA256"},
					"stages": []string{}, "inject": []string{}, "http": false, "max_in_flight": 1, "validates_locally": false, "tls": true,
				},
			})
		case "ping":
			out.Encode(answer{"t": "pong", "n": msg.N})
		case "case":
			result := perform(msg, sender)
			result["t"], result["id"] = "result", msg.ID
			out.Encode(result)
		case "bye":
			return
		}
	}
}

func senderWith(caFile string) *http.Client {
	roots := x509.NewCertPool()
	if text, err := os.ReadFile(caFile); err == nil {
		roots.AppendCertsFromPEM(text)
	}
	return &http.Client{
		Transport:     &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Performs a call, and returns one of the five outcomes.
func perform(msg message, sender *http.Client) answer {
	c := &client{
		http: sender, baseURL: msg.BaseURL, endpointID: msg.EndpointID,
		consumerKey: msg.Auth.ConsumerKey, secret: msg.Auth.Secret,
	}
	if msg.Auth.PrivateKeyPEM != "" {
		key, err := privateKey(msg.Auth.PrivateKeyPEM)
		if err != nil {
			return answer{"outcome": "adapter_error", "message": err.Error()}
		}
		c.privateKey = key
	}
	// The limit of the call is less than the limit of the case, so that the adapter can still answer in time.
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(msg.DeadlineMs)*800*time.Microsecond)
	defer cancel()
	decoded, err := call(ctx, c, msg)
	var notDecoded undecodable
	switch {
	case err == nil:
		return answer{"outcome": "completed", "decoded": decoded}
	case errors.Is(err, errUnsupported):
		return answer{"outcome": "unsupported", "reason": "cannot do " + msg.Op}
	case errors.As(err, &notDecoded):
		return answer{"outcome": "completed", "decoded": answer{"kind": "undecodable", "reason": err.Error()}}
	}
	return answer{"outcome": "transport_error", "reason": err.Error()}
}

func call(ctx context.Context, c *client, msg message) (answer, error) {
	switch msg.Op {
	case "close-day":
		var fields map[string]string
		if err := json.Unmarshal(msg.Input, &fields); err != nil {
			return nil, err
		}
		decoded, err := c.closeDay(ctx, fields)
		return typed(decoded), err
	case "process-recurring-payments":
		var table struct {
			Columns []string    `json:"columns"`
			Rows    [][]*string `json:"rows"`
		}
		if err := json.Unmarshal(msg.Input, &table); err != nil {
			return nil, err
		}
		return c.processRecurringPayments(ctx, table.Columns, table.Rows)
	}
	return nil, errUnsupported
}

// Puts each value of a gate under the name of its type. 64-bit integers become text.
func typed(decoded answer) answer {
	gates, _ := decoded["gates"].([]any)
	for at, gate := range gates {
		shown := answer{}
		members, _ := gate.(answer)
		for name, value := range members {
			switch value.(type) {
			case bool:
				shown[name] = answer{"bool": value}
			case json.Number:
				shown[name] = answer{"long": fmt.Sprint(value)}
			default:
				shown[name] = answer{"text": fmt.Sprint(value)}
			}
		}
		gates[at] = shown
	}
	return decoded
}

func privateKey(text string) (*rsa.PrivateKey, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("the private key is no PEM")
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	key, isRSA := parsed.(*rsa.PrivateKey)
	if err == nil && !isRSA {
		err = errors.New("the private key is not of RSA")
	}
	return key, err
}
