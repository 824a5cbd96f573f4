package dev.tandem.test.shipping;

class BadAddress extends RuntimeException {

    BadAddress(String message) {
        super(message);
    }
}
