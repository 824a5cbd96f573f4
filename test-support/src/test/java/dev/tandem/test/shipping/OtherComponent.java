package dev.tandem.test.shipping;

import org.springframework.stereotype.Component;

/** Part of the application, but not of the slice. */
@Component
class OtherComponent {}
