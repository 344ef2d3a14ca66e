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
        writer.writeValue(value, 0);
        return writer.out.append('\n').toString().getBytes(StandardCharsets.UTF_8);
    }

    private void writeValue(Json value, int depth) {
        switch (value) {
            case Json.JsonObject(Map<String, Json> values) -> writeObject(values, depth);
            case Json.JsonArray(var values) -> writeArray(values.iterator(), depth);
            case Json.JsonString(String text) -> writeString(text);
            case Json.JsonInteger(long number) -> out.append(number);
            case Json.JsonBoolean(boolean flag) -> out.append(flag);
        }
    }

    private void writeObject(Map<String, Json> values, int depth) {
        out.append('{');
        String before = "";
        for (Map.Entry<String, Json> member : values.entrySet()) {
            out.append(before);
            writeNewLine(depth + 1);
            writeString(member.getKey());
            out.append(": ");
            writeValue(member.getValue(), depth + 1);
            before = ",";
        }
        if (!values.isEmpty()) {
            writeNewLine(depth);
        }
        out.append('}');
    }

    private void writeArray(Iterator<Json> values, int depth) {
        boolean some = values.hasNext();
        out.append('[');
        while (values.hasNext()) {
            writeNewLine(depth + 1);
            writeValue(values.next(), depth + 1);
            out.append(values.hasNext() ? "," : "");
        }
        if (some) {
            writeNewLine(depth);
        }
        out.append(']');
    }

    private void writeNewLine(int depth) {
        out.append('\n').repeat("  ", depth);
    }

    private void writeString(String text) {
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
