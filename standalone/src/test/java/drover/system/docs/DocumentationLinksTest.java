package drover.system.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every relative link of the documentation leads to a file, and every anchor to a heading. */
class DocumentationLinksTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern LINK = Pattern.compile("(?<!!)\\[[^\\]]*\\]\\(([^)\\s]+)\\)");
    private static final Pattern FENCE = Pattern.compile("(?ms)^ *```.*?^ *```");
    private static final Pattern CODE = Pattern.compile("`[^`\n]*`");
    private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.+?) *$");

    @Test
    void everyRelativeLinkAndAnchorResolves() throws IOException {
        List<String> broken = new ArrayList<>();
        int links = 0;
        for (Path page : pages()) {
            String text = CODE.matcher(withoutFences(page)).replaceAll("");
            Matcher link = LINK.matcher(text);
            while (link.find()) {
                links++;
                if (!resolves(page, link.group(1))) {
                    broken.add(ROOT.relativize(page) + " -> " + link.group(1));
                }
            }
        }
        assertThat(links).isGreaterThan(20); // else the pattern finds nothing any more
        assertThat(broken).isEmpty();
    }

    @Test
    void anAnchorIsMadeOfItsHeadingAsItIsShown() throws IOException {
        assertThat(anchor("Which nodes there are: nodes.yaml"))
                .isEqualTo("which-nodes-there-are-nodesyaml");
        assertThat(resolves(ROOT.resolve("README.md"), "docs/operations.md#no-such-heading"))
                .isFalse();
        assertThat(resolves(ROOT.resolve("README.md"), "docs/no-such-page.md")).isFalse();
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT)) {
            return files.filter(file -> file.toString().endsWith(".md"))
                    .filter(file -> !file.toString().contains("/target/"))
                    .filter(file -> !ROOT.relativize(file).toString().startsWith("."))
                    .sorted()
                    .toList();
        }
    }

    private static boolean resolves(Path page, String link) throws IOException {
        if (link.matches("[a-z][a-z0-9+.-]*:.*")) {
            return true; // elsewhere
        }
        String[] parts = link.split("#", 2);
        Path target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
        if (!Files.exists(target)) {
            return false;
        }
        return parts.length == 1 || anchors(target).contains(parts[1]);
    }

    private static Set<String> anchors(Path page) throws IOException {
        Set<String> anchors = new HashSet<>();
        Map<String, Integer> seen = new HashMap<>();
        Matcher heading = HEADING.matcher(withoutFences(page));
        while (heading.find()) {
            String anchor = anchor(heading.group(1));
            int earlier = seen.merge(anchor, 1, Integer::sum) - 1;
            anchors.add(earlier == 0 ? anchor : anchor + "-" + earlier);
        }
        return anchors;
    }

    /** As the usual renderers make it: lower case, hyphens for spaces, nothing else but words. */
    private static String anchor(String heading) {
        return heading.replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1")
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N}\\s_-]", "")
                .replace(' ', '-');
    }

    private static String withoutFences(Path page) throws IOException {
        return FENCE.matcher(Files.readString(page)).replaceAll("");
    }
}
