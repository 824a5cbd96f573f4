package dev.tandem.runtime.settings;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings of the hosted {@code http} handler.
 *
 * @param url the URL that payloads are posted to
 * @param allow hosts and addresses that are reached although they are not public
 * @param deadOn statuses that make a task dead at once
 * @param headers headers of every request, for instance Authorization
 * @param body what a request has as its body
 * @param answers when the receiver says how a task has ended
 * @param answerTimeout how long it may take to answer a request whose task it ends later
 * @param signingKeys where the keys are by which requests are signed: {@code file:} and a path, or {@code env:} and a variable
 * @param sslBundle the bundle of Spring Boot with the certificate that is shown, and those that are trusted
 */
public record HttpSettings(
        @Nullable String url,
        @DefaultValue List<String> allow,
        @DefaultValue List<Integer> deadOn,
        @DefaultValue Map<String, String> headers,
        @DefaultValue("payload") Body body,
        @DefaultValue("now") Answers answers,
        @DefaultValue("30s") Duration answerTimeout,
        @DefaultValue List<String> signingKeys,
        @Nullable String sslBundle) {

    /** Leaves out the values of headers, which may be secret. */
    @Override
    public String toString() {
        return "HttpSettings[url=" + url + ", allow=" + allow + ", deadOn=" + deadOn + ", headers=" + headers.keySet()
                + "]";
    }

    /** When the receiver of a task says how it has ended. */
    public enum Answers {
        /** By the status of its answer. */
        NOW,
        /** By the API, if the status is 202. */
        LATER
    }

    /** The form of a request's body. */
    public enum Body {
        /** The payload as it is. */
        PAYLOAD,
        /** The payload, with the attributes of a CloudEvent as headers. */
        CLOUD_EVENT_BINARY,
        /** A CloudEvent in JSON. */
        CLOUD_EVENT_STRUCTURED
    }
}
