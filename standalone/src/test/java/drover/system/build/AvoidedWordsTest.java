package drover.system.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Words of identifiers that are not the field's terms: none is added, and their number falls. */
class AvoidedWordsTest {
    private static final Path FOLDER = Path.of("src/test/resources/drover/system/build");
    private static final Path ALLOWED = FOLDER.resolve("avoided-words-allowed.txt");

    private static final Pattern NOT_A_NAME = Pattern.compile("[^A-Za-z0-9_]+");
    private static final Pattern WORD_BORDER =
            Pattern.compile("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_");

    @Test
    @DisplayName("No identifier gets a word that avoided-words.txt lists (-Dupdate writes counts)")
    void avoidedWordsBecomeFewer() throws IOException {
        Set<String> avoided = avoidedWords();
        Map<String, Integer> counts = new TreeMap<>();
        for (Path file : JavaSources.all()) {
            String module = file.getName(1).toString();
            wordsOf(Files.readString(file))
                    .filter(avoided::contains)
                    .forEach(word -> counts.merge(module + " " + word, 1, Integer::sum));
        }
        List<String> lines =
                counts.entrySet().stream().map(it -> it.getKey() + " " + it.getValue()).toList();
        if (System.getProperty("update") != null) {
            Files.write(ALLOWED, lines);
        }

        assertThat(lines)
                .as(
                        "counts of avoided words; use the term of avoided-words.txt. If a count"
                                + " fell, write it: ./mvnw -pl standalone -am test"
                                + " -Dtest=AvoidedWordsTest -Dupdate")
                .isEqualTo(Files.readAllLines(ALLOWED));
    }

    @Test
    void findsWholeWordsOfNamesOnly() {
        assertThat(
                        wordsOf(
                                """
                                /* door */ class HTTPDoor { // ask
                                    String told_you = "say", lookup;
                                }
                                """))
                .containsExactly("class", "http", "door", "string", "told", "you", "lookup");
    }

    private static Stream<String> wordsOf(String source) {
        return Arrays.stream(NOT_A_NAME.split(JavaSources.TEXT.matcher(source).replaceAll(" "), -1))
                .flatMap(name -> Arrays.stream(WORD_BORDER.split(name, -1)))
                .filter(word -> !word.isEmpty())
                .map(word -> word.toLowerCase(Locale.ROOT));
    }

    private static Set<String> avoidedWords() throws IOException {
        return Files.readAllLines(FOLDER.resolve("avoided-words.txt")).stream()
                .filter(line -> !line.startsWith("#"))
                .flatMap(line -> Arrays.stream(line.substring(0, line.indexOf(':')).split(" ", -1)))
                .collect(Collectors.toSet());
    }
}
