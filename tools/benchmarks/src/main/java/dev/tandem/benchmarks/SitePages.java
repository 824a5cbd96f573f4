package dev.tandem.benchmarks;

import dev.tandem.task.UrlText;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The pages of the console, found by following its links and filling in its forms, so that a new page is among them by itself.
 * Pages that differ only in whose they are count as one, if links of the same kind of page lead there.
 */
final class SitePages {

    /** A page. @param name its kind @param path where one of them is */
    record SitePage(String name, String path) {}

    private static final Pattern LINK = Pattern.compile("<a [^>]*?href=\"(/[^\"]*)\"");
    private static final Pattern FORM =
            Pattern.compile("<form\\b[^>]*method=\"get\"[^>]*>(.*?)</form>", Pattern.DOTALL);
    private static final Pattern INPUT = Pattern.compile("<input\\b[^>]*>");
    private static final Pattern ATTRIBUTE = Pattern.compile("\\b(action|name|type|value)=\"([^\"]*)\"");
    private static final Pattern PLAIN = Pattern.compile("[a-z0-9-]{1,12}");
    private static final Pattern STATE = Pattern.compile("state=(\\w+)");
    private static final String FROM = " from ";

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NORMAL)
            .build();
    private final String server;
    private final String token;
    private final Map<String, List<String>> known;

    /** @param known the values to fill in, by the name of a field */
    SitePages(String server, String token, Map<String, List<String>> known) {
        this.server = server;
        this.token = token;
        this.known = known;
    }

    /** Returns all pages that the token may see. @param others the names of pages that are left out, with what they lead to */
    List<SitePage> find(Set<String> others) throws Exception {
        return find(others, false);
    }

    /** Returns the first page of each route that the token may see. */
    List<SitePage> findOneOfEachRoute() throws Exception {
        return find(Set.of(), true);
    }

    private List<SitePage> find(Set<String> others, boolean oneOfEachRoute) throws Exception {
        Set<String> routes = new HashSet<>(Set.of("/"));
        Map<String, String> paths = new LinkedHashMap<>();
        Deque<SitePage> open = new ArrayDeque<>(List.of(new SitePage("/", "/")));
        paths.put("/", "/");
        while (!open.isEmpty()) {
            SitePage page = open.remove();
            if (isFiltered(page.path())) {
                continue; // It leads to the same with other filters, of which there are very many.
            }
            String html = get(page.path());
            List<String> further = new ArrayList<>(links(html));
            further.addAll(forms(html));
            for (String path : further) {
                String name = name(path, page.name());
                // A page of a single thing leads to others of its kind, and to things of other kinds.
                boolean again = page.name().contains(FROM)
                        && paths.keySet().stream().anyMatch(each -> kind(each).equals(kind(name)));
                if (!again
                        && !path.contains("cursor=")
                        && !others.contains(name)
                        && (!oneOfEachRoute || routes.add(route(path)))
                        && paths.putIfAbsent(name, path) == null) {
                    open.add(new SitePage(name, path));
                }
            }
        }
        List<SitePage> pages = new ArrayList<>();
        for (Map.Entry<String, String> each : paths.entrySet()) {
            pages.add(new SitePage(each.getKey(), each.getValue()));
        }
        return pages;
    }

    /** Returns whether a page shows only what a field chooses. */
    private boolean isFiltered(String path) {
        return path.contains("?")
                && Stream.of(path.substring(path.indexOf('?') + 1).split("&"))
                        .anyMatch(each -> known.containsKey(each.split("=")[0]));
    }

    /** Returns a page so many pages down in the list that begins with a page; the page itself if there is only one. */
    String farDown(String path, int pages) throws Exception {
        String at = path;
        for (int i = 0; i < pages; i++) {
            String next = null;
            for (String link : links(get(at))) {
                if (link.contains("cursor=") && link.startsWith(path.split("\\?")[0])) {
                    next = link;
                }
            }
            if (next == null) {
                return at;
            }
            at = next;
        }
        return at;
    }

    private static List<String> links(String html) {
        List<String> links = new ArrayList<>();
        Matcher matcher = LINK.matcher(html);
        while (matcher.find()) {
            String link = matcher.group(1).replace("&amp;", "&").split("#")[0];
            if (!link.startsWith("/api/") && !link.startsWith("//")) {
                links.add(link);
            }
        }
        return links;
    }

    /** Returns what forms lead to, one field filled in. */
    private List<String> forms(String html) {
        List<String> paths = new ArrayList<>();
        Matcher forms = FORM.matcher(html);
        while (forms.find()) {
            String action = attributes(forms.group().substring(0, forms.group().indexOf('>')))
                    .get("action");
            if (action == null) {
                continue;
            }
            StringBuilder hidden = new StringBuilder();
            List<String> fields = new ArrayList<>();
            Matcher inputs = INPUT.matcher(forms.group(1));
            while (inputs.find()) {
                Map<String, String> input = attributes(inputs.group());
                String name = input.getOrDefault("name", "");
                if ("hidden".equals(input.get("type"))) {
                    hidden.append('&')
                            .append(name)
                            .append('=')
                            .append(UrlText.queryValue(input.getOrDefault("value", "")));
                } else if (!name.isEmpty()) {
                    fields.add(name);
                }
            }
            for (String field : fields) {
                List<String> values = known.get(field);
                if (values == null) {
                    throw new IllegalStateException("The form of " + action + " has a field '" + field
                            + "' that this benchmark does not know: give it a value in ConsoleScale");
                }
                values.forEach(value -> paths.add(action + "?" + field + "=" + UrlText.queryValue(value) + hidden));
            }
        }
        return paths;
    }

    private static Map<String, String> attributes(String tag) {
        Map<String, String> attributes = new LinkedHashMap<>();
        Matcher matcher = ATTRIBUTE.matcher(tag);
        while (matcher.find()) {
            attributes.put(matcher.group(1), matcher.group(2).replace("&amp;", "&"));
        }
        return attributes;
    }

    private static String route(String path) {
        return ConsoleRoutes.of(path).orElse(path.split("\\?")[0]);
    }

    /** Returns the kind of a page: some parts of its path name a thing, and so may a parameter. */
    private String name(String path, String from) {
        String[] halves = path.split("\\?", 2);
        String route = route(path);
        String kind = route.replaceAll("\\{\\w+}", "*");
        List<String> parameters = new ArrayList<>();
        if (halves.length > 1) {
            for (String each : halves[1].split("&")) {
                String[] pair = each.split("=", 2);
                if (pair.length > 1 && !pair[1].isEmpty()) {
                    boolean isPlain =
                            PLAIN.matcher(pair[1]).matches() && !pair[0].equals("queue") && !known.containsKey(pair[0]);
                    boolean isKnown = known.getOrDefault(pair[0], List.of()).stream()
                            .anyMatch(value -> UrlText.queryValue(value).equals(pair[1]));
                    parameters.add(pair[0] + "=" + (isPlain || isKnown ? pair[1] : "*"));
                }
            }
        }
        parameters.sort(null);
        String full = parameters.isEmpty() ? kind : kind + "?" + String.join("&", parameters);
        boolean isThing = route.endsWith("}") && route.indexOf('{') < route.lastIndexOf('{');
        return isThing ? full + FROM + origin(from) : full;
    }

    /** Returns which list a page is, in a word: that of a state, or the last part of its path. */
    private static String origin(String name) {
        Matcher state = STATE.matcher(name);
        if (state.find()) {
            return state.group(1);
        }
        String path = kind(name).split("\\?")[0].replace("/*", "");
        return path.substring(path.lastIndexOf('/') + 1);
    }

    private static String kind(String name) {
        return name.split(FROM)[0];
    }

    /** @throws IllegalStateException if the answer is no page */
    String get(String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(server + path))
                .header("Authorization", "Bearer " + token)
                .header("Accept", path.startsWith("/api/") ? "application/json" : "text/html")
                .timeout(Duration.ofSeconds(60))
                .build();
        HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
        boolean isAllowed = answer.statusCode() < 300 || path.startsWith("/api/") && answer.statusCode() < 500;
        if (!isAllowed) {
            throw new IllegalStateException(path + " was answered with " + answer.statusCode() + ": " + answer.body());
        }
        return answer.body();
    }
}
