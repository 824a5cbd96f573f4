/** The RabbitMQ front door: channels, acknowledgements and topology. */
@NullMarked
package dev.tandem.rabbit;

import org.jspecify.annotations.NullMarked;
