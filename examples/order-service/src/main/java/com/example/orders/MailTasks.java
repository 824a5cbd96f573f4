package com.example.orders;

import dev.tandem.api.TaskGateway;
import dev.tandem.api.TaskType;

/** Submits mails. They have no order, so there is no key. */
@TaskGateway(queue = MailTasks.QUEUE)
public interface MailTasks {

    String QUEUE = "shop-mail";

    @TaskType("mail")
    void send(Mail mail);
}
