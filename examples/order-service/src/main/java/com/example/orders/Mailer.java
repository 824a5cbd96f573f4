package com.example.orders;

/** The mail server. */
@FunctionalInterface
interface Mailer {

    void send(Mail mail);
}
