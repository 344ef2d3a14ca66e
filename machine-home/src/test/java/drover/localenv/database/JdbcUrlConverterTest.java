package drover.localenv.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.localenv.UserFacingError;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JdbcUrlConverterTest {
    @Test
    void readsTheFormThatPeopleWrite() {
        assertThat(JdbcUrlConverter.toJdbcUrl("postgres://ann:s%26cret@db:5433/mesh"))
                .isEqualTo("jdbc:postgresql://db:5433/mesh?user=ann&password=s%26cret");
    }

    @Test
    void keepsTheFormOfJdbc() {
        assertThat(JdbcUrlConverter.toJdbcUrl("jdbc:postgresql://db/mesh?user=ann"))
                .isEqualTo("jdbc:postgresql://db/mesh?user=ann");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "db:5432", "mysql://db/mesh", "postgres://db", "postgres://d b/x"})
    void refusesAnythingElse(String text) {
        assertThatThrownBy(() -> JdbcUrlConverter.toJdbcUrl(text))
                .isInstanceOf(UserFacingError.class)
                .hasMessageContaining("--postgres");
    }

    @Test
    void neverRepeatsAPasswordH14() {
        assertThatThrownBy(() -> JdbcUrlConverter.toJdbcUrl("postgres://ann:hunter2@"))
                .hasMessageNotContaining("hunter2");
    }
}
