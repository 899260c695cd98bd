package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

const tolerance = 5 * time.Minute

// IsGenuine takes the body as it arrived, before any parsing, and the value of X-Service-Signature.
func IsGenuine(body []byte, header, secret string, now time.Time) bool {
	var timestamp string
	var signatures [][]byte
	for _, pair := range strings.Split(header, ",") {
		name, value, _ := strings.Cut(pair, "=")
		switch name {
		case "t":
			timestamp = value
		case "v1":
			if signature, err := hex.DecodeString(value); err == nil {
				signatures = append(signatures, signature)
			}
		}
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > tolerance {
		return false
	}

	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp + "."))
	mac.Write(body)
	expected := mac.Sum(nil)
	for _, signature := range signatures {
		if hmac.Equal(signature, expected) {
			return true
		}
	}
	return false
}
