package dev.tandem.scheduler;

import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Knows what to do when Redis refuses a login, a certificate, or a command for which its user lacks the right. */
final class RedisRemedies {

    private static final String RIGHTS = "docs/security.md has all rights that Tandem needs";

    /** "this user has no permissions to run the 'config|get' command", and its like in later versions. */
    private static final Pattern COMMAND = Pattern.compile("NOPERM.* to run the '([a-z_|-]{1,50})' command");

    /** Patterns of messages, each with what to do about it. The first that fits counts. */
    private static final List<Map.Entry<Pattern, String>> REMEDIES = List.of(
            remedy(
                    "user executing the script can't run|NOPERM.* to run the .*script: ",
                    "its user may not run a command of Tandem's scripts, which ACL LOG names: " + RIGHTS),
            remedy(
                    "(?i)NOPERM.*channel|user executing the script can't.*channel",
                    "its user may not use a channel: allow &NAMESPACE:*, where NAMESPACE is tandem.redis.namespace"),
            remedy(
                    "(?i)NOPERM.*key|user executing the script can't access.*key",
                    "its user may not use a key: allow ~NAMESPACE:*, where NAMESPACE is tandem.redis.namespace"),
            remedy(
                    "WRONGPASS",
                    "check tandem.redis.username, and the password in tandem.redis.password-file or tandem.redis.uri"),
            remedy("NOAUTH", "it wants a password: set tandem.redis.username and tandem.redis.password-file"),
            remedy(
                    "unable to find valid certification path|PKIX path",
                    "nobody who is trusted has signed its certificate: set tandem.redis.tls.ca-file to that of its CA"),
            remedy(
                    "No subject alternative|No name matching",
                    "its certificate is for other names: use one of them in tandem.redis.uri"),
            remedy(
                    "certificate_required|bad_certificate|handshake_failure",
                    "it does not accept this client's certificate: set tandem.redis.tls.certificate-file and .key-file"),
            remedy(
                    "not an SSL/TLS record",
                    "it does not speak TLS at this port: use its tls-port, or redis:// for a connection in clear"));

    private RedisRemedies() {}

    /** Adds what can be done about it to a message; nothing if that is not known. */
    static String withRemedy(String message) {
        Matcher command = COMMAND.matcher(message);
        if (command.find() && !message.contains("script: ")) {
            return message + " (allow it with +" + command.group(1) + " in ACL SETUSER; " + RIGHTS + ")";
        }
        return REMEDIES.stream()
                .filter(each -> each.getKey().matcher(message).find())
                .findFirst()
                .map(each -> message + " (" + each.getValue() + ")")
                .orElse(message);
    }

    private static Map.Entry<Pattern, String> remedy(String message, String what) {
        return Map.entry(Pattern.compile(message), what);
    }
}
