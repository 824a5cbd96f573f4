/** Kafka, AMQP brokers and Redis on this machine, each as a child process that can be killed, frozen and restarted. */
@NullMarked
package dev.tandem.local;

import org.jspecify.annotations.NullMarked;
