package dev.tandem.opentelemetry;

import io.opentelemetry.api.common.AttributeKey;

/**
 * The attributes of the spans. Those of messages follow OpenTelemetry's semantic conventions for messaging, as of version
 * 1.27; the others are Tandem's own.
 */
final class TaskAttributes {

    static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("messaging.system");
    static final AttributeKey<String> OPERATION_NAME = AttributeKey.stringKey("messaging.operation.name");
    static final AttributeKey<String> OPERATION_TYPE = AttributeKey.stringKey("messaging.operation.type");
    static final AttributeKey<String> DESTINATION = AttributeKey.stringKey("messaging.destination.name");
    static final AttributeKey<String> MESSAGE_ID = AttributeKey.stringKey("messaging.message.id");
    static final AttributeKey<Long> BODY_SIZE = AttributeKey.longKey("messaging.message.body.size");
    static final AttributeKey<String> ERROR_TYPE = AttributeKey.stringKey("error.type");

    static final AttributeKey<String> TYPE = AttributeKey.stringKey("tandem.task.type");
    static final AttributeKey<String> KEY = AttributeKey.stringKey("tandem.task.key");
    static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("tandem.task.attempt");
    static final AttributeKey<Long> MAX_ATTEMPTS = AttributeKey.longKey("tandem.task.max_attempts");
    static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("tandem.task.outcome");

    /** In seconds, as OpenTelemetry has durations. */
    static final AttributeKey<Double> WAIT = AttributeKey.doubleKey("tandem.task.wait");

    static final String TANDEM = "tandem";
    static final String PUBLISH = "publish";
    static final String SEND = "send";
    static final String PROCESS = "process";

    private TaskAttributes() {}
}
