require "openssl"

TOLERANCE_SECONDS = 300

# body: the bytes as they arrived, before any parsing. header: the value of X-Service-Signature.
def genuine?(body, header, secret, now = Time.now.to_i)
  pairs = header.split(",").map { |pair| pair.split("=", 2) }
  timestamp = pairs.assoc("t")&.last.to_s
  return false unless timestamp.match?(/\A\d{1,12}\z/) && (now - timestamp.to_i).abs <= TOLERANCE_SECONDS

  expected = OpenSSL::HMAC.hexdigest("SHA256", secret, "#{timestamp}.".b + body.b)
  pairs.any? do |name, value|
    name == "v1" && value&.bytesize == expected.bytesize && OpenSSL.fixed_length_secure_compare(value, expected)
  end
end
