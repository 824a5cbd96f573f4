/** Traces submissions and runs by OpenTelemetry: {@link dev.tandem.opentelemetry.OpenTelemetryTracing}. */
@NullMarked
package dev.tandem.opentelemetry;

import org.jspecify.annotations.NullMarked;
