import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

final class Webhooks {
    private static final Duration TOLERANCE = Duration.ofMinutes(5);

    /** body: the bytes as they arrived, before any parsing. header: the value of X-Service-Signature. */
    static boolean isGenuine(byte[] body, String header, String secret, Instant now) throws GeneralSecurityException {
        String timestamp = "";
        List<String> signatures = new ArrayList<>();
        for (String pair : header.split(",")) {
            String[] parts = pair.split("=", 2);
            if (parts.length == 2 && parts[0].equals("t")) timestamp = parts[1];
            if (parts.length == 2 && parts[0].equals("v1")) signatures.add(parts[1]);
        }
        if (!timestamp.matches("[0-9]{1,12}")) return false;
        Duration age = Duration.between(Instant.ofEpochSecond(Long.parseLong(timestamp)), now);
        if (age.abs().compareTo(TOLERANCE) > 0) return false;

        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        mac.update((timestamp + ".").getBytes(StandardCharsets.UTF_8));
        byte[] expected = HexFormat.of().formatHex(mac.doFinal(body)).getBytes(StandardCharsets.UTF_8);
        for (String signature : signatures) {
            if (MessageDigest.isEqual(signature.getBytes(StandardCharsets.UTF_8), expected)) return true;
        }
        return false;
    }
}
