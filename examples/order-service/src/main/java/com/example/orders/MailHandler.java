package com.example.orders;

import dev.tandem.api.Backoff;
import dev.tandem.api.TaskHandler;
import org.springframework.stereotype.Component;

/** Sends mails. A mail cannot be part of a transaction, so in rare cases it is sent twice. */
@Component
class MailHandler {

    private final Mailer mailer;

    MailHandler(Mailer mailer) {
        this.mailer = mailer;
    }

    @TaskHandler(
            queue = MailTasks.QUEUE,
            type = "mail",
            maxAttempts = 10,
            backoff = @Backoff(initial = "10s", max = "6h"))
    void mail(Mail mail) {
        mailer.send(mail);
    }
}
