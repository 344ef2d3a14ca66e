package drover.coordinator.plan.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StateDiagramTest {
    private static final Path DIAGRAMS = Path.of("..", "docs", "diagrams");
    private static final Pattern MOVE = Pattern.compile("\\('([a-z_]+)', '([a-z_]+)'\\)");

    @ParameterizedTest
    @CsvSource({
        "rollout.mmd,model.RolloutState",
        "node.mmd,model.NodeState",
        "group.mmd,group.GroupState"
    })
    @DisplayName("A17: the committed diagrams are what the types say (-Dupdate writes them)")
    void diagramsMatchTheTypes(String file, String type) throws Exception {
        isDrawnIn(file, StateDiagram.moves(Class.forName("drover.coordinator.plan." + type)));
    }

    @Test
    @DisplayName("A17: so is the diagram of batches")
    void diagramOfBatchesMatchesThePhases() throws IOException {
        isDrawnIn("batch.mmd", StateDiagram.batchMoves());
    }

    private static void isDrawnIn(String file, Set<StateDiagram.Move> moves) throws IOException {
        Path path = DIAGRAMS.resolve(file);
        String drawn = StateDiagram.mermaid(moves);
        if (System.getProperty("update") != null) {
            Files.createDirectories(DIAGRAMS);
            Files.writeString(path, drawn);
        }
        assertThat(Files.readString(path))
                .as(
                        "write it anew: ./mvnw -pl rollout-coordinator test -Dtest=StateDiagramTest -Dupdate")
                .isEqualTo(drawn);
    }

    @Test
    @DisplayName("A17: the database allows exactly the moves of the types")
    void theDatabaseAllowsExactlyTheMovesOfTheTypes() throws IOException {
        Set<StateDiagram.Move> allowed = new TreeSet<>();
        Matcher matcher = MOVE.matcher(migration());
        while (matcher.find()) {
            allowed.add(new StateDiagram.Move(matcher.group(1), matcher.group(2)));
        }
        assertThat(allowed).isEqualTo(StateDiagram.moves(RolloutState.class));
    }

    private static String migration() throws IOException {
        try (InputStream sql =
                StateDiagramTest.class.getResourceAsStream("/db/coordinator/V2__legal_moves.sql")) {
            assertThat(sql).isNotNull();
            return new String(sql.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
