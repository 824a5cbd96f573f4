// Command verify checks the signature of a task that Tandem has posted. It needs only Go's standard library.
//
//	WEBHOOK_KEY=whsec_... go run ./verify ID TIMESTAMP SIGNATURE < BODY
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

const tolerance = 5 * time.Minute

// isValid takes the key, the three headers and the bytes of the body, before anything has parsed them.
func isValid(key, id, timestamp, signatures string, body []byte) bool {
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if age := time.Since(time.Unix(seconds, 0)); err != nil || age > tolerance || age < -tolerance {
		return false // A copy of an old request.
	}
	secret, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(key, "whsec_"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, secret)
	fmt.Fprintf(mac, "%s.%s.", id, timestamp)
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, each := range strings.Split(signatures, " ") { // While keys are changed there are two. One has to fit.
		if hmac.Equal([]byte(expected), []byte(each)) {
			return true
		}
	}
	return false
}

func main() {
	body, err := io.ReadAll(os.Stdin)
	if err == nil && len(os.Args) == 4 && isValid(os.Getenv("WEBHOOK_KEY"), os.Args[1], os.Args[2], os.Args[3], body) {
		fmt.Println("valid")
	} else {
		fmt.Println("invalid")
	}
}
