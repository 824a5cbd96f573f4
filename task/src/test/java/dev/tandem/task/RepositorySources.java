package dev.tandem.task;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The types in the sources of all modules, main and test, with the names of their methods. Reads the text only. */
final class RepositorySources {

    static final Path ROOT = Path.of("..");

    /** The folders that have modules. */
    private static final List<Path> PARENTS = List.of(ROOT, ROOT.resolve("tools"), ROOT.resolve("examples"));

    private static final Pattern TYPE =
            Pattern.compile("^[^*/\n]*\\b(?:class|record|interface|enum) (\\w+)", Pattern.MULTILINE);
    /** A type, a name and an opening bracket, as in a declaration. An expression before a name ends otherwise. */
    private static final Pattern METHOD = Pattern.compile("\\b(\\w+)[\\[\\]<?>]*\\s+(\\w+)\\(");

    private static final Set<String> NO_TYPES = Set.of("return", "new", "throw", "else", "yield", "case");

    /** The names of a type's methods, and their declarations up to the bracket. */
    private final Map<String, Set<String>> methods = new HashMap<>();

    static RepositorySources read() throws IOException {
        RepositorySources sources = new RepositorySources();
        for (Path parent : PARENTS) {
            try (Stream<Path> modules = Files.list(parent)) {
                modules.map(module -> module.resolve("src"))
                        .flatMap(folder -> Stream.of("main", "test").map(folder::resolve))
                        .map(folder -> folder.resolve("java"))
                        .filter(Files::isDirectory)
                        .forEach(sources::addAll);
            }
        }
        return sources;
    }

    private void addAll(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            List<Path> sources =
                    files.filter(path -> path.toString().endsWith(".java")).toList();
            for (Path source : sources) {
                add(Files.readString(source));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Adds all types of a file, each with the methods of the whole file. */
    private void add(String source) {
        Set<String> names = new HashSet<>();
        Matcher method = METHOD.matcher(source);
        while (method.find()) {
            if (!NO_TYPES.contains(method.group(1))) {
                names.add(method.group(2));
                names.add(method.group());
            }
        }
        Matcher type = TYPE.matcher(source);
        while (type.find()) {
            methods.computeIfAbsent(type.group(1), name -> new HashSet<>()).addAll(names);
        }
    }

    boolean hasType(String name) {
        return methods.containsKey(name);
    }

    /** Whether a type, or another type in the same file, has a method of this name that returns nothing. */
    boolean hasTest(String type, String method) {
        return methods.getOrDefault(type, Set.of()).contains("void " + method + "(");
    }

    /** Whether a type, or another type in the same file, has a method or a nested type of this name. */
    boolean hasMember(String type, String member) {
        return methods.getOrDefault(type, Set.of()).contains(member)
                || (Character.isUpperCase(member.charAt(0)) && hasType(member));
    }
}
