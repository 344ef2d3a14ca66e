package drover.trust.release;

import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.Map;

/**
 * Writes the JSON of signed documents: names in the order they are given, two spaces deep, one line
 * end behind the last. The same document is always the same bytes, so several people can sign it
 * one after another.
 */
final class JsonWriter {
    private final StringBuilder out = new StringBuilder();

    private JsonWriter() {}

    static byte[] write(Json value) {
        JsonWriter writer = new JsonWriter();
        writer.value(value, 0);
        return writer.out.append('\n').toString().getBytes(StandardCharsets.UTF_8);
    }

    private void value(Json value, int depth) {
        switch (value) {
            case Json.Members(Map<String, Json> values) -> members(values, depth);
            case Json.Items(var values) -> items(values.iterator(), depth);
            case Json.Text(String text) -> text(text);
            case Json.Whole(long number) -> out.append(number);
            case Json.Flag(boolean flag) -> out.append(flag);
        }
    }

    private void members(Map<String, Json> values, int depth) {
        out.append('{');
        String before = "";
        for (Map.Entry<String, Json> member : values.entrySet()) {
            out.append(before);
            line(depth + 1);
            text(member.getKey());
            out.append(": ");
            value(member.getValue(), depth + 1);
            before = ",";
        }
        if (!values.isEmpty()) {
            line(depth);
        }
        out.append('}');
    }

    private void items(Iterator<Json> values, int depth) {
        boolean some = values.hasNext();
        out.append('[');
        while (values.hasNext()) {
            line(depth + 1);
            value(values.next(), depth + 1);
            out.append(values.hasNext() ? "," : "");
        }
        if (some) {
            line(depth);
        }
        out.append(']');
    }

    private void line(int depth) {
        out.append('\n').repeat("  ", depth);
    }

    private void text(String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char next = text.charAt(i);
            switch (next) {
                case '"', '\\' -> out.append('\\').append(next);
                case '\n' -> out.append("\\n");
                case '\t' -> out.append("\\t");
                case '\r' -> out.append("\\r");
                default -> {
                    if (next < ' ') {
                        out.append("\\u%04x".formatted((int) next));
                    } else {
                        out.append(next);
                    }
                }
            }
        }
        out.append('"');
    }
}
