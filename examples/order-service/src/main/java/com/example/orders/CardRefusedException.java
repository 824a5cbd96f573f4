package com.example.orders;

/** The customer's bank has refused the card. The task is dead at once: another attempt would get the same answer. */
class CardRefusedException extends RuntimeException {

    CardRefusedException(String message) {
        super(message);
    }
}
