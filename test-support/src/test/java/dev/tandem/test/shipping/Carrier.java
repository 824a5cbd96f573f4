package dev.tandem.test.shipping;

import org.springframework.stereotype.Component;

@Component
class Carrier {

    Receipt book(Ship ship, long token) {
        throw new UnsupportedOperationException("There is no carrier in tests: " + ship.order() + ", " + token);
    }
}
