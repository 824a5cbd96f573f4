package dev.tandem.spring.shop;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.stereotype.Component;

/** The record of what the handlers did. */
@Component
public class Journal {

    private final List<String> lines = new CopyOnWriteArrayList<>();

    void add(String line) {
        lines.add(line);
    }

    public List<String> lines() {
        return lines;
    }
}
