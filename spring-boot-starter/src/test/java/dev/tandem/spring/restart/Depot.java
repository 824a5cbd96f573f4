package dev.tandem.spring.restart;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;

/** An application that a test loads anew, as devtools does. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import(Sender.class)
public class Depot {}
