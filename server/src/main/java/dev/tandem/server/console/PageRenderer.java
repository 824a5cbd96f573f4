package dev.tandem.server.console;

import gg.jte.Content;
import gg.jte.ContentType;
import gg.jte.TemplateEngine;
import gg.jte.output.StringOutput;
import java.util.Map;

/** Renders pages with the templates that were compiled with the server. Thread-safe. */
final class PageRenderer {

    private final TemplateEngine engine;

    PageRenderer() {
        // The templates are in this package, so that only it needs to see what they show.
        engine = TemplateEngine.createPrecompiled(
                null, ContentType.Html, PageRenderer.class.getClassLoader(), PageRenderer.class.getPackageName());
        engine.setTrimControlStructures(true);
    }

    /** Returns the whole page. */
    String page(Page page, View view) {
        Map<String, Object> parameters = parameters(page, view);
        Content content = output -> engine.render(page.template() + ".jte", parameters, output);
        StringOutput html = new StringOutput();
        engine.render(
                "layout.jte",
                Map.of(
                        "view",
                        view,
                        "title",
                        page.isNamed() ? page.title() : view.t(page.title()),
                        "live",
                        page.live(),
                        "charts",
                        page.charts(),
                        "content",
                        content),
                html);
        return html.toString();
    }

    /** Returns only what is within the frame. */
    String content(Page page, View view) {
        StringOutput html = new StringOutput();
        engine.render(page.template() + ".jte", parameters(page, view), html);
        return html.toString();
    }

    private static Map<String, Object> parameters(Page page, View view) {
        return Map.of("view", view, "content", page.content().get());
    }
}
