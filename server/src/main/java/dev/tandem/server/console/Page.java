package dev.tandem.server.console;

import java.util.function.Supplier;

/**
 * An answer of a page's method: what is shown, in the frame that all pages have.
 *
 * @param template the name of the template, without its suffix
 * @param title the key of the title's text; of a page that is about one thing, the name of that
 * @param isNamed whether the title is a name, which is shown as it is
 * @param content makes what the template shows. It is called again and again while somebody looks at the page, by other
 *     threads, and may throw what a page's method may throw
 * @param live whether the page changes while somebody looks at it
 * @param charts whether it has charts, and needs the library that draws them
 */
record Page(String template, String title, boolean isNamed, Supplier<?> content, boolean live, boolean charts) {

    /** Makes a page without charts. */
    Page(String template, String title, boolean isNamed, Supplier<?> content, boolean live) {
        this(template, title, isNamed, content, live, false);
    }

    Page withCharts() {
        return new Page(template, title, isNamed, content, live, true);
    }

    /** Returns a page that follows what it shows. */
    static Page live(String template, String title, Supplier<?> content) {
        return new Page(template, title, false, content, true);
    }

    /** Returns a page about one thing, such as a queue, that follows what it shows. */
    static Page liveOf(String template, String name, Supplier<?> content) {
        return new Page(template, name, true, content, true);
    }

    /** Returns a page about one thing that stays as it is. */
    static Page stillOf(String template, String name, Supplier<?> content) {
        return new Page(template, name, true, content, false);
    }

    /** Returns a page that stays as it is. */
    static Page still(String template, String title, Supplier<?> content) {
        return new Page(template, title, false, content, false);
    }
}
