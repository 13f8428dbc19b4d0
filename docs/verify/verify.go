// Checks statements and bundles of hostprobe without its code: Go 1.19, standard library.
//
//	go run verify.go statement <statement> <keys.json> <issuer> <origin> [seconds since 1970]
//	go run verify.go bundle <bundle> <root>
//	go run verify.go line <line.json> <root>
//	go run verify.go vectors <vectors.json>
package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

type key struct {
	Kid       string   `json:"kid"`
	Kty       string   `json:"kty"`
	Crv       string   `json:"crv"`
	X         string   `json:"x"`
	IatBefore *float64 `json:"hostprobe:iat_before"`
}

type keySet struct {
	Keys []key `json:"keys"`
}

type vector struct {
	Name      string          `json:"name"`
	Kind      string          `json:"kind"`
	Statement string          `json:"statement"`
	Issuer    string          `json:"issuer"`
	Origin    string          `json:"origin"`
	Now       float64         `json:"now"`
	Bundle    string          `json:"bundle"`
	Line      json.RawMessage `json:"line"`
	Root      string          `json:"root"`
	Expected  string          `json:"expected"`
}

// What hostprobe writes has fewer brackets within brackets, and fewer lines under a root.
const maxDepth, maxLines = 128, 9999

// The end of the year 9999, in seconds since 1970, and the largest number that every program holds exactly.
const lastTime, maxSafe = 253402300799, 1<<53 - 1

var compact = regexp.MustCompile(`^[\w-]+\.[\w-]+\.[\w-]{86}$`)
var sha256Hex = regexp.MustCompile(`^[0-9a-f]{64}$`)
var strict = base64.RawURLEncoding.Strict()

// A header has these three members and no other: none by which a token could choose its key or its rules.
var header = regexp.MustCompile(`^\{"alg":"([^"\\]*)","typ":"([^"\\]*)","kid":"([^"\\]*)"\}$`)

// bytesOf has nothing for another spelling of the same bytes.
func bytesOf(text string) []byte {
	data, err := strict.DecodeString(text)
	if err != nil || strings.ContainsAny(text, "\r\n") {
		return nil
	}
	return data
}

// objectIn reads an object in JSON that is not nested too deep; nil for anything else.
func objectIn(text string) map[string]any {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value map[string]any
	if !utf8.ValidString(text) || !json.Valid([]byte(text)) || decoder.Decode(&value) != nil {
		return nil
	}
	depth, quoted := 0, false
	for at := 0; at < len(text); at++ {
		switch mark := text[at]; {
		case quoted && mark == '\\':
			at++
		case mark == '"':
			quoted = !quoted
		case !quoted && (mark == '[' || mark == '{'):
			depth++
		case !quoted && (mark == ']' || mark == '}'):
			depth--
		}
		if depth > maxDepth {
			return nil
		}
	}
	return value
}

// whole reads a whole number; -1 for anything else.
func whole(value any, most float64) float64 {
	number, is := value.(json.Number)
	read, _ := strconv.ParseFloat(string(number), 64)
	if !is || read < 0 || read > most || read != math.Trunc(read) {
		return -1
	}
	return read
}

// statement says "ok" or why a statement is refused. Nothing inside is read before the signature holds.
func statement(token string, keys keySet, issuer, origin string, now float64) string {
	if len(token) > 4096 || !compact.MatchString(token) {
		return "not_a_statement"
	}
	parts := strings.Split(token, ".")
	head := bytesOf(parts[0])
	said := header.FindStringSubmatch(string(head))
	if said == nil || !utf8.Valid(head) {
		return "header"
	}
	if said[2] != "hostprobe-report+jwt" {
		return "typ"
	}
	if said[1] != "EdDSA" && said[1] != "Ed25519" {
		return "alg"
	}
	var known *key
	for i := range keys.Keys {
		if keys.Keys[i].Kid == said[3] {
			known = &keys.Keys[i]
			break
		}
	}
	if known == nil {
		return "unknown_kid"
	}
	public, signature := bytesOf(known.X), bytesOf(parts[2])
	if known.Kty != "OKP" || known.Crv != "Ed25519" || len(public) != ed25519.PublicKeySize ||
		!ed25519.Verify(public, []byte(parts[0]+"."+parts[1]), signature) {
		return "signature"
	}
	claims := objectIn(string(bytesOf(parts[1])))
	iat, exp := whole(claims["iat"], lastTime), whole(claims["exp"], lastTime)
	subject, named := claims["sub"].(string)
	switch {
	case iat < 0 || exp < 0 || !named:
		return "payload"
	case claims["iss"] != issuer:
		return "issuer"
	case known.IatBefore != nil && iat >= *known.IatBefore:
		return "key_retired"
	case iat > now+60:
		return "from_the_future"
	case now >= exp:
		return "stale"
	case subject != origin:
		return "subject"
	}
	return "ok"
}

func hash(mark byte, pieces ...[]byte) []byte {
	sum := sha256.Sum256(append([]byte{mark}, bytes.Join(pieces, nil)...))
	return sum[:]
}

func rootOf(leaves [][]byte) []byte {
	if len(leaves) == 1 {
		return leaves[0]
	}
	half := 1 << (bits.Len(uint(len(leaves)-1)) - 1)
	return hash(1, rootOf(leaves[:half]), rootOf(leaves[half:]))
}

// rootIn writes a root in hex; statements write it in base64url.
func rootIn(text string) string {
	if len(text) == 43 {
		return hex.EncodeToString(bytesOf(text))
	}
	return strings.ToLower(text)
}

// bundle says "ok", or what of a bundle is not as it was. A body whose line is missing or withheld is no fault.
func bundle(text, root string) string {
	if !strings.HasSuffix(text, "\n") {
		return "malformed"
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	count := int(whole(objectIn(lines[0])["lines"], maxLines))
	if count < 1 || count > len(lines) {
		return "malformed"
	}
	var leaves [][]byte
	for _, line := range lines[:count] {
		leaves = append(leaves, hash(0, []byte(line)))
	}
	if hex.EncodeToString(rootOf(leaves)) != rootIn(root) {
		return "root"
	}
	first := map[string]int{}
	for at, line := range lines[1:count] {
		one := objectIn(line)
		if one == nil {
			return "malformed"
		}
		name, is := one["sha256"].(string)
		if value, there := one["kept"]; there {
			kept, _ := value.(map[string]any)
			if name, is = kept["sha256"].(string); !is {
				return "malformed"
			}
		}
		if _, known := first[name]; is && !known {
			first[name] = at
		}
	}
	last := -1
	for _, line := range lines[count:] {
		// Each at most once, in the order in which the lines name them.
		fault, body := readBody(line)
		at, named := first[body]
		if fault == "" && (!named || at <= last) {
			fault = "body"
		}
		if fault != "" {
			return fault
		}
		last = at
	}
	return "ok"
}

// One spelling of a text; what is no character has none.
var bodyLine = regexp.MustCompile(
	`^\{"body":"[0-9a-f]{64}","(?:text|base64|withheld)":"(?:[^"\\]|\\["\\bfnrt]|\\u00(?:0[0-7bef]|1[0-9a-f]))*"\}$`)

// readBody says what is wrong with the line of a body, and its hash: text where the bytes are UTF-8.
func readBody(line string) (fault, body string) {
	one := objectIn(line)
	body, _ = one["body"].(string)
	delete(one, "body")
	if !sha256Hex.MatchString(body) || len(one) != 1 {
		return "malformed", body
	}
	for what, value := range one {
		text, is := value.(string)
		data := []byte(text)
		switch {
		case !is:
			return "malformed", body
		case what == "withheld":
			if text != "private_key" && text != "opt_out" && text != "legal" {
				return "malformed", body
			}
		case what == "base64":
			data, _ = base64.StdEncoding.DecodeString(text)
			if base64.StdEncoding.EncodeToString(data) != text || utf8.Valid(data) {
				return "body", body
			}
		case what != "text":
			return "malformed", body
		}
		sum := sha256.Sum256(data)
		if !bodyLine.MatchString(line) || (what != "withheld" && hex.EncodeToString(sum[:]) != body) {
			return "body", body
		}
	}
	return "", body
}

// line says whether one line is under a root (RFC 9162 section 2.1.3.2).
func line(included map[string]any, root string) string {
	text, is := included["line"].(string)
	path, listed := included["path"].([]any)
	at, size := int(whole(included["index"], maxSafe)), int(whole(included["size"], maxSafe))
	if !is || !listed || at < 0 || at >= size {
		return "root"
	}
	last, value := size-1, hash(0, []byte(text))
	for _, one := range path {
		name, _ := one.(string)
		sibling, err := hex.DecodeString(name)
		if err != nil || !sha256Hex.MatchString(name) || last == 0 {
			return "root"
		}
		if at%2 == 1 || at == last {
			value = hash(1, sibling, value)
			for at%2 == 0 && at != 0 {
				at, last = at/2, last/2
			}
		} else {
			value = hash(1, value, sibling)
		}
		at, last = at/2, last/2
	}
	if last != 0 || hex.EncodeToString(value) != rootIn(root) {
		return "root"
	}
	return "ok"
}

func vectors(text string) bool {
	var published struct {
		Keys  keySet   `json:"keys"`
		Cases []vector `json:"cases"`
	}
	must(json.Unmarshal([]byte(text), &published))
	right := 0
	for _, one := range published.Cases {
		result := ""
		switch one.Kind {
		case "statement":
			result = statement(one.Statement, published.Keys, one.Issuer, one.Origin, one.Now)
		case "bundle":
			result = bundle(one.Bundle, one.Root)
		default:
			result = line(objectIn(string(one.Line)), one.Root)
		}
		if result == one.Expected {
			right++
		} else {
			fmt.Println("wrong: " + one.Name + ": " + result)
		}
	}
	fmt.Printf("%d of %d vectors\n", right, len(published.Cases))
	return right == len(published.Cases)
}

// read gives nothing of a file that is no UTF-8.
func read(path string) string {
	data, err := os.ReadFile(path)
	must(err)
	if !utf8.Valid(data) {
		return ""
	}
	return string(data)
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "see the comment at the top of this file")
		os.Exit(2)
	}
	text, more, result := read(os.Args[2]), os.Args[3:], ""
	switch os.Args[1] {
	case "vectors":
		if vectors(text) {
			return
		}
		os.Exit(9)
	case "statement":
		var keys keySet
		must(json.Unmarshal([]byte(read(more[0])), &keys))
		now := float64(time.Now().Unix())
		if len(more) > 3 {
			given, err := strconv.ParseFloat(more[3], 64)
			must(err)
			now = given
		}
		result = statement(strings.Trim(text, " \t\r\n"), keys, more[1], more[2], now)
	case "bundle":
		result = bundle(text, more[0])
	case "line":
		result = line(objectIn(text), more[0])
	}
	fmt.Println(result)
	if result != "ok" {
		os.Exit(9)
	}
}
