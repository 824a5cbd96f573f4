package dev.tandem.rabbit;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AuthenticationFailureException;
import com.rabbitmq.client.Method;
import com.rabbitmq.client.PossibleAuthenticationFailureException;
import com.rabbitmq.client.ShutdownSignalException;
import dev.tandem.task.FailureText;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Explains the exceptions of the RabbitMQ client. */
final class BrokerErrors {

    static final int ACCESS_REFUSED = AMQP.ACCESS_REFUSED;
    static final int NOT_FOUND = AMQP.NOT_FOUND;
    static final int RESOURCE_LOCKED = AMQP.RESOURCE_LOCKED;
    static final int PRECONDITION_FAILED = AMQP.PRECONDITION_FAILED;

    private static final int MAX_CAUSES = 10;
    private static final Pattern LATE_ACK = Pattern.compile("(?is)acknowledg.*timed out|timed out.*acknowledg");

    private static final Pattern CLIENT_REFUSED =
            Pattern.compile("certificate_required|bad_certificate|handshake_failure|unknown_ca");

    private BrokerErrors() {}

    /** Whether the channel or the connection was closed, by either side. */
    static boolean isClosed(Throwable problem) {
        return signal(problem) != null;
    }

    /** Whether the connection was closed. */
    static boolean isConnectionClosed(@Nullable Throwable problem) {
        ShutdownSignalException signal = signal(problem);
        return signal != null && signal.isHardError();
    }

    /** Returns the broker's reply code; 0 if there is none. */
    static int replyCode(@Nullable Throwable problem) {
        Method reason = method(problem);
        if (reason instanceof AMQP.Channel.Close close) {
            return close.getReplyCode();
        }
        return reason instanceof AMQP.Connection.Close close ? close.getReplyCode() : 0;
    }

    /** Returns the broker's reply text; empty if there is none. */
    static String replyText(@Nullable Throwable problem) {
        Method reason = method(problem);
        if (reason instanceof AMQP.Channel.Close close) {
            return close.getReplyText();
        }
        return reason instanceof AMQP.Connection.Close close ? close.getReplyText() : "";
    }

    /** Returns the reason in words for people. */
    static String explain(@Nullable Throwable problem) {
        String text = replyText(problem);
        if (!text.isEmpty()) {
            return "the broker replied " + text;
        }
        Throwable root = problem;
        for (int i = 0; root != null && i < MAX_CAUSES; i++) {
            if (root instanceof AuthenticationFailureException) {
                return "the broker refused user or password: check tandem.rabbit.username, and the password in"
                        + " tandem.rabbit.password-file or tandem.rabbit.uri";
            }
            if (root instanceof PossibleAuthenticationFailureException) {
                return "the broker closed the connection during the login: check user, password and virtual host";
            }
            if (root instanceof UnknownHostException) {
                return "the host name '" + root.getMessage() + "' cannot be resolved";
            }
            if (root instanceof ConnectException || root instanceof TimeoutException || root.getCause() == null) {
                break;
            }
            root = root.getCause();
        }
        if (root == null) {
            return "no reason given";
        }
        if (root instanceof TimeoutException) {
            return "no answer in time";
        }
        return FailureText.of(root) + tlsRemedy(problem);
    }

    private static String tlsRemedy(@Nullable Throwable problem) {
        for (Throwable each = problem; each != null; each = each.getCause()) {
            String text = each instanceof GeneralSecurityException || each instanceof SSLException
                    ? String.valueOf(each.getMessage())
                    : "";
            if (text.contains("certification path")) {
                return ": nobody who is trusted has signed its certificate. Set tandem.rabbit.tls.ca-file to that of"
                        + " its authority";
            }
            if (text.contains("No subject alternative") || text.contains("No name matching")) {
                return ": its certificate is not for this host. Use a name in tandem.rabbit.uri that is in the"
                        + " certificate";
            }
            if (CLIENT_REFUSED.matcher(text).find()) {
                return ": it does not accept this client's certificate. Set tandem.rabbit.tls.certificate-file and"
                        + " .key-file";
            }
        }
        return "";
    }

    /** Returns whether nobody answered at the address, or the address is unknown. */
    static boolean isNoConnection(Throwable problem) {
        for (Throwable each = problem; each != null; each = each.getCause()) {
            if (each instanceof ConnectException || each instanceof UnknownHostException) {
                return true;
            }
        }
        return false;
    }

    /** Returns why there is no connection. A broker that refuses a login has been reached. */
    static String explainConnect(Throwable problem) {
        String reason = explain(problem);
        return reason.startsWith("the broker ") ? reason : "the broker cannot be reached: " + reason;
    }

    /**
     * Returns why a consuming channel ended, and what to do about it.
     *
     * @param why null if the consumer was cancelled
     */
    static String explainChannelEnd(@Nullable Throwable why, int prefetch) {
        if (why == null) {
            return "the broker cancelled the consumer: the queue was deleted or moved, or, with RabbitMQ 4.3, "
                    + lateAckAdvice(prefetch);
        }
        String reason = explain(why);
        return LATE_ACK.matcher(reason).find() ? reason + ": " + lateAckAdvice(prefetch) : reason;
    }

    private static String lateAckAdvice(int prefetch) {
        return "messages waited longer than the broker's consumer_timeout. To prevent that, lower the queue's prefetch,"
                + " which is " + prefetch + ", raise its concurrency, or raise consumer_timeout in rabbitmq.conf";
    }

    private static @Nullable Method method(@Nullable Throwable problem) {
        ShutdownSignalException signal = signal(problem);
        return signal == null ? null : signal.getReason();
    }

    private static @Nullable ShutdownSignalException signal(@Nullable Throwable problem) {
        Throwable cause = problem;
        for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
            if (cause instanceof ShutdownSignalException signal) {
                return signal;
            }
            cause = cause.getCause();
        }
        return null;
    }
}
